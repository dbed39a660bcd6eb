// What the page shows, as it comes from `attune attend --format html`, from a server, or from a JSON file in
// the shape of BertViz's head view.

export type Kind = "encoder" | "decoder" | "cross";
export const KINDS: readonly Kind[] = ["encoder", "decoder", "cross"];

export interface Candidate {
  token: string;
  p: number;
}

export interface SearchNode {
  parent: number;
  token: string;
  log_p: number;
  score: number;
  ended: boolean;
  on_result: boolean;
  candidates: Candidate[];
}

// A matrix [queries, keys] of one head, or the mean of all.
export interface Matrix {
  queries: number;
  keys: number;
  weights: Float32Array;
}

export interface Layer {
  kind: Kind;
  layer: number;
  heads: number[]; // their numbers; none: there is one matrix, the mean of all
  matrices: Matrix[];
}

// What was read, if it is not words; its tokens are `count` of the encoder's, from `first` on.
export interface Scene {
  kind: "picture" | "series" | "variables" | "graph";
  first: number;
  count: number;
  across: number; // picture: patches in a line
  width: number;
  height: number;
  image: string;
  columns: number; // series: numbers of a step; variables: of a variable
  numbers: number[]; // [count, columns]
  edges: [number, number][]; // graph: who sees whom
}

export interface Attention {
  model: string;
  type: string;
  source: string;
  target: string;
  forced: boolean;
  encoder_tokens: string[];
  decoder_tokens: string[];
  decoder_outputs: string[];
  output_words: number[];
  layers: Layer[];
  tree: SearchNode[];
  scenes: Scene[];
}

export interface Sentence {
  label: string;
  expected: string;
  models: Attention[];
}

export interface Validation {
  update: number;
  samples: { source: string; reference: string; output: string }[];
  attention: Attention | null;
}

export interface Run {
  name: string;
  metrics: Record<string, number | string>[];
  validations: Validation[];
}

// What the server that sent the page says of itself.
export interface Server {
  runs: string[]; // training runs that can be followed
  keys: boolean; // requests need an API key
  longest: number; // text, in characters
}

export interface Document {
  title: string;
  text: string;
  sentences: Sentence[];
  run: Run | null;
  server: Server | null;
}

export class BadData extends Error {}

type Json = any;

export function rowLabels(attention: Attention, kind: Kind): string[] {
  if (kind === "encoder") return attention.encoder_tokens;
  return kind === "decoder" ? attention.decoder_tokens : attention.decoder_outputs;
}

export function columnLabels(attention: Attention, kind: Kind): string[] {
  return kind === "decoder" ? attention.decoder_tokens : attention.encoder_tokens;
}

export function kindsOf(attention: Attention): Kind[] {
  return KINDS.filter((kind) => attention.layers.some((layer) => layer.kind === kind));
}

export function layersOf(attention: Attention, kind: Kind): Layer[] {
  return attention.layers.filter((layer) => layer.kind === kind);
}

// The same tokens can be looked at in cross attention, else in the decoder's, else in the encoder's.
export function defaultKind(attention: Attention): Kind {
  const kinds = kindsOf(attention);
  return kinds[kinds.length - 1] ?? "encoder";
}

// The layer before the last aligns best (Garg et al. 2019).
export function defaultLayer(attention: Attention, kind: Kind): number {
  return Math.max(0, layersOf(attention, kind).length - 2);
}

function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Base64 of zlib's deflate of the high bytes, then the low bytes, of round(65535 w).
export async function unpacked(text: string, count: number): Promise<Float32Array> {
  const stream = new Blob([bytesOfBase64(text) as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (planes.length !== 2 * count) throw new BadData(`there are ${planes.length / 2} weights, but ${count} were expected`);
  const weights = new Float32Array(count);
  for (let i = 0; i < count; ++i) weights[i] = (planes[i]! * 256 + planes[count + i]!) / 65535;
  return weights;
}

function split(weights: Float32Array, queries: number, keys: number): Matrix[] {
  const size = queries * keys;
  const matrices: Matrix[] = [];
  for (let at = 0; at + size <= weights.length && size > 0; at += size)
    matrices.push({ queries, keys, weights: weights.subarray(at, at + size) });
  return matrices;
}

function strings(value: Json, name: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((x) => typeof x !== "string")) throw new BadData(`${name} is not a list of texts`);
  return value;
}

// [head][query][key] with plain numbers.
function plainMatrices(heads: Json, rows: number, columns: number, name: string): Matrix[] {
  if (!Array.isArray(heads)) throw new BadData(`${name} is not a list of heads`);
  return heads.map((head: Json) => {
    if (!Array.isArray(head) || head.length !== rows)
      throw new BadData(`${name} has ${head?.length} rows, but there are ${rows} tokens`);
    const weights = new Float32Array(rows * columns);
    head.forEach((row: Json, q: number) => {
      if (!Array.isArray(row) || row.length !== columns)
        throw new BadData(`row ${q} of ${name} has ${row?.length} weights, but there are ${columns} tokens`);
      row.forEach((weight: Json, k: number) => {
        if (typeof weight !== "number" || !Number.isFinite(weight) || weight < -1e-6 || weight > 1 + 1e-3)
          throw new BadData(`row ${q} of ${name} has the weight ${weight}; a weight is a number from 0 to 1`);
        weights[q * columns + k] = weight;
      });
    });
    return { queries: rows, keys: columns, weights };
  });
}

export async function readAttention(json: Json): Promise<Attention> {
  const attention: Attention = {
    model: String(json.model ?? ""),
    type: String(json.type ?? ""),
    source: String(json.source ?? ""),
    target: String(json.target ?? ""),
    forced: Boolean(json.forced),
    encoder_tokens: strings(json.encoder_tokens ?? json.tokens, "encoder_tokens"),
    decoder_tokens: strings(json.decoder_tokens, "decoder_tokens"),
    decoder_outputs: strings(json.decoder_outputs ?? json.decoder_tokens, "decoder_outputs"),
    output_words: json.output_words ?? [],
    layers: [],
    tree: json.tree ?? [],
    scenes: json.scenes ?? [],
  };
  for (const kind of KINDS) {
    const layers = json[`${kind}_attention`] ?? (kind === "encoder" ? json.attention : null);
    if (!Array.isArray(layers)) continue;
    const numbers = (json.layers ?? []).filter((layer: Json) => layer.kind === kind);
    layers.forEach((heads: Json, number: number) => {
      const name = `${kind}_attention, layer ${number}`;
      const matrices = plainMatrices(heads, rowLabels(attention, kind).length, columnLabels(attention, kind).length, name);
      const known = numbers[number];
      attention.layers.push({ kind, layer: known?.layer ?? number, heads: known?.heads ?? matrices.map((_, h) => h), matrices });
    });
  }
  if (attention.layers.length === 0)
    for (const layer of json.layers ?? []) {
      if (typeof layer.packed !== "string") continue;
      const { kind, queries, keys } = layer;
      const count = Math.max(1, layer.heads.length) * queries * keys;
      attention.layers.push({
        kind,
        layer: layer.layer,
        heads: layer.heads,
        matrices: split(await unpacked(layer.packed, count), queries, keys),
      });
    }
  return attention;
}

// Source, reference, output, and again.
function triples(texts: string[]): Validation["samples"] {
  const samples = [];
  for (let i = 0; i + 2 < texts.length; i += 3) samples.push({ source: texts[i]!, reference: texts[i + 1]!, output: texts[i + 2]! });
  return samples;
}

export async function readDocument(json: Json): Promise<Document> {
  if (json === null || typeof json !== "object") throw new BadData("this is not a file that attune wrote");
  if (!Array.isArray(json.sentences) && !json.run) {
    if (!KINDS.some((kind) => json[`${kind}_attention`]) && !json.attention && !json.layers)
      throw new BadData("there is no attention in this file");
    return { title: "", text: "", run: null, server: null, sentences: [{ label: "", expected: "", models: [await readAttention(json)] }] };
  }
  const document: Document = { title: json.title ?? "", text: json.text ?? "", sentences: [], run: null, server: json.server ?? null };
  for (const sentence of json.sentences ?? []) {
    const models: Attention[] = [];
    for (const model of sentence.models) models.push(await readAttention(model));
    document.sentences.push({ label: sentence.label ?? "", expected: sentence.expected ?? "", models });
  }
  if (json.run) {
    const validations: Validation[] = [];
    for (const v of json.run.validations ?? [])
      validations.push({
        update: v.update,
        samples: triples(v.samples ?? []),
        attention: v.attention ? await readAttention(JSON.parse(v.attention)) : null,
      });
    document.run = { name: json.run.name ?? "", metrics: json.run.metrics ?? [], validations };
  }
  return document;
}
