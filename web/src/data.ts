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
  norms: Float32Array[]; // for each head, of what each key gives; none: not known
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
  aligning_layer: number; // of cross attention, from 0, or from the end: -1, -2, ..
  aligning_head: number; // -1: none is known to align
  positions: Positions | null;
  inputs: LayerInputs[]; // none: they were not asked for
  states: LayerStates[];
  gates: LayerGates[]; // of recurrent layers
  gradients: Gradients[];
  importance: Importance[]; // none: no head was left out
  guesses: Candidate[][][]; // [layer][step]: what it would write there
}

// What the gates of a layer let through in each step, one gate after another in the columns, and the states before.
export interface LayerGates {
  decoder: boolean;
  layer: number;
  backward: boolean; // it reads from the last token to the first
  cell: "rnn" | "gru" | "lstm";
  gates: Matrix;
  before: Matrix;
  cell_before: Matrix | null; // of c in an LSTM
}

// What the model loses without each head of a layer, over a test set: nats for a token.
export interface Importance {
  kind: Kind;
  layer: number;
  losses: number[]; // by head
}

// Gradient x input: a row for each token that was written, a column for each of the kind's that was read.
export interface Gradients {
  kind: Kind;
  table: Matrix;
}

// How a model knows the order of tokens: a row for each position (or each distance back), a column for each dimension (or head).
export interface Positions {
  kind: string; // sinusoidal, learned, rotary, alibi, ..
  scale: number; // what 1 stands for
  table: Matrix; // from -1 to 1
}

// What the weights of a layer were computed from, heads side by side in the columns.
export interface LayerInputs {
  kind: Kind;
  layer: number;
  heads: number;
  score: string; // scaled_dot, dot, additive, ..
  queries: Matrix;
  keys: Matrix;
  values: Matrix;
  v: number[]; // of an additive score
  x: Matrix | null; // what the queries were computed from
  matrix_head: number; // whose matrices these are
  query_weight: Matrix | null; // [columns of the head, columns of x]; of an additive score W
  key_weight: Matrix | null; // U
  value_weight: Matrix | null;
  out: Matrix | null; // [columns of x, columns of the head]
}

// The vectors of tokens after a layer; -1: before the first.
export interface LayerStates {
  decoder: boolean;
  layer: number;
  vectors: Matrix;
}

// A text in both languages of the page.
export interface Both {
  en: string;
  zh: string;
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
  local?: { models: object[]; training: boolean }; // it is an engine in the page: what it opens, and whether one can train
}

export interface Document {
  title: Both;
  text: Both;
  opens: string; // the view that is shown first; empty: the usual one
  sentences: Sentence[];
  runs: Run[];
  server: Server | null;
}

export const nothing: Document = { title: { en: "", zh: "" }, text: { en: "", zh: "" }, opens: "", sentences: [], runs: [], server: null };

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

function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflated(text: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOfBase64(text) as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Base64 of zlib's deflate of the high bytes, then the low bytes, of round(65535 w).
export async function unpacked(text: string, count: number): Promise<Float32Array> {
  const planes = new Uint8Array(await inflated(text));
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

// Numbers from `low` to `high`.
async function readTable({ rows, columns, low, high, packed }: Json): Promise<Matrix> {
  return { queries: rows, keys: columns, weights: (await unpacked(packed, rows * columns)).map((x) => low + x * (high - low)) };
}

async function readPositions(json: Json): Promise<Positions | null> {
  if (!json) return null;
  const table = await readTable(json), scale = Math.max(Math.abs(json.low), Math.abs(json.high)) || 1;
  return { kind: json.kind, scale, table: { ...table, weights: table.weights.map((x) => x / scale) } };
}

async function readInputs({ kind, layer, heads, score, queries, keys, values, v, x, matrix_head = -1, query_weight, key_weight, value_weight, out }: Json): Promise<LayerInputs> {
  const perhaps = async (table: Json) => (table ? readTable(table) : null);
  return {
    kind, layer, heads, score, v, matrix_head,
    queries: await readTable(queries), keys: await readTable(keys), values: await readTable(values), x: await perhaps(x),
    query_weight: await perhaps(query_weight), key_weight: await perhaps(key_weight), value_weight: await perhaps(value_weight), out: await perhaps(out),
  };
}

// The states before the first step are given; each step makes those before the next one.
async function readGates({ decoder, layer, backward, cell, gates: packed, before: first, cell_before: firstCell }: Json): Promise<LayerGates> {
  const gates = await readTable(packed), start = await readTable(first), width = start.keys, steps = gates.queries;
  const table = (): Matrix => ({ queries: steps, keys: width, weights: new Float32Array(steps * width) });
  const before = table(), cells = firstCell ? table() : null;
  let h = start.weights, c = firstCell ? (await readTable(firstCell)).weights : h;
  for (let step = 0; step < steps; ++step) {
    const at = backward ? steps - 1 - step : step, row = gates.weights.subarray(at * gates.keys);
    before.weights.set(h, at * width);
    cells?.weights.set(c, at * width);
    const gate = (g: number, i: number) => row[g * width + i]!;
    if (cells) c = c.map((x, i) => gate(1, i) * x + gate(0, i) * gate(2, i));
    h = h.map((x, i) => (cells ? gate(3, i) * Math.tanh(c[i]!) : cell === "gru" ? (1 - gate(1, i)) * gate(2, i) + gate(1, i) * x : gate(0, i)));
  }
  return { decoder, layer, backward, cell, gates, before, cell_before: cells };
}

// As plain rows in a JSON file, packed in a page.
async function readGradients({ kind, table, rows }: Json): Promise<Gradients> {
  if (table) return { kind, table: await readTable(table) };
  return { kind, table: { queries: rows.length, keys: rows[0]?.length ?? 0, weights: Float32Array.from(rows.flat()) } };
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
    aligning_layer: json.aligning_layer ?? -2,
    aligning_head: json.aligning_head ?? -1,
    positions: await readPositions(json.positions),
    inputs: [],
    states: [],
    gates: [],
    gradients: [],
    importance: json.importance ?? [],
    guesses: json.guesses ?? [],
  };
  for (const gates of json.gates ?? []) attention.gates.push(await readGates(gates));
  for (const gradients of json.gradients ?? []) attention.gradients.push(await readGradients(gradients));
  for (const inputs of json.inputs ?? []) attention.inputs.push(await readInputs(inputs));
  for (const { decoder, layer, vectors } of json.states ?? []) attention.states.push({ decoder, layer, vectors: await readTable(vectors) });
  for (const kind of KINDS) {
    const layers = json[`${kind}_attention`] ?? (kind === "encoder" ? json.attention : null);
    if (!Array.isArray(layers)) continue;
    const numbers = (json.layers ?? []).filter((layer: Json) => layer.kind === kind);
    layers.forEach((heads: Json, number: number) => {
      const name = `${kind}_attention, layer ${number}`;
      const matrices = plainMatrices(heads, rowLabels(attention, kind).length, columnLabels(attention, kind).length, name);
      const known = numbers[number];
      attention.layers.push({ kind, layer: known?.layer ?? number, heads: known?.heads ?? matrices.map((_, h) => h), matrices, norms: [] });
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
        norms: layer.value_norms ? split(Float32Array.from(layer.value_norms), 1, keys).map(({ weights }) => weights) : [],
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

const both = (value: Json): Both => (typeof value === "object" && value !== null ? { en: value.en ?? "", zh: value.zh ?? "" } : { en: value ?? "", zh: value ?? "" });

async function readRun(json: Json): Promise<Run> {
  const validations: Validation[] = [];
  for (const v of json.validations ?? [])
    validations.push({
      update: v.update,
      samples: triples(v.samples ?? []),
      attention: v.attention ? await readAttention(JSON.parse(v.attention)) : null,
    });
  return { name: json.name ?? "", metrics: json.metrics ?? [], validations };
}

export async function readDocument(json: Json): Promise<Document> {
  if (json === null || typeof json !== "object") throw new BadData("this is not a file that attune wrote");
  if (typeof json.deflated === "string") return readDocument(JSON.parse(new TextDecoder().decode(await inflated(json.deflated))));
  if (!Array.isArray(json.sentences)) {
    if (!KINDS.some((kind) => json[`${kind}_attention`]) && !json.attention && !json.layers)
      throw new BadData("there is no attention in this file");
    return { ...nothing, sentences: [{ label: "", expected: "", models: [await readAttention(json)] }] };
  }
  const document: Document = { title: both(json.title), text: both(json.text), opens: json.opens ?? "", sentences: [], runs: [], server: json.server ?? null };
  for (const sentence of json.sentences) {
    const models: Attention[] = [];
    for (const model of sentence.models) models.push(await readAttention(model));
    document.sentences.push({ label: sentence.label ?? "", expected: sentence.expected ?? "", models });
  }
  for (const run of json.runs ?? []) document.runs.push(await readRun(run));
  return document;
}
