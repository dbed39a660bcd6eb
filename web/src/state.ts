// What is chosen stands in the address: a link brings it back, and so does the browser's Back. Theme and keys are the reader's own
// and kept for the next page.
import { KINDS, type Kind } from "./data";
import { MEASURES, ORDERS, SCALES, VIEWS, type HeadAt, type Look, type Measure, type Moved, type Order, type Own, type Scale, type Seen, type State, type ViewName } from "./app";

const USUAL_ALTERNATIVES = 2;
const LONGEST_TEXT = 4000; // characters in an address

const number = (text: string | null): number | null => (text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null);

function kept(name: string): string | null {
  try {
    return localStorage.getItem(`attune-${name}`);
  } catch {
    return null; // a page from disk may have no storage
  }
}

function cellOf(text: string | null): [number, number] | null {
  const found = /^(\d{1,6})\.(\d{1,6})$/.exec(text ?? "");
  return found && [Number(found[1]), Number(found[2])];
}

// ---- Heads as cross.0.1, with * for all of them; tokens that look elsewhere as cross.0.1.3.5.
const HEAD = String.raw`(encoder|decoder|cross)\.(\d{1,6})\.(\d{1,6}|\*)`;

function headsOf(texts: string[]): HeadAt[] {
  return texts.flatMap((text) => {
    const [, kind, layer, head] = new RegExp(`^${HEAD}$`).exec(text) ?? [];
    return kind ? [{ kind: kind as Kind, layer: Number(layer), head: head === "*" ? null : Number(head) }] : [];
  });
}

function movedOf(texts: string[]): Moved[] {
  return texts.flatMap((text) => {
    const [, head, query, key] = /^(.*)\.(\d{1,6})\.(\d{1,6})$/.exec(text) ?? [];
    return headsOf([head ?? ""]).map((at) => ({ ...at, query: Number(query), key: Number(key) }));
  });
}

const headText = ({ kind, layer, head }: HeadAt): string => `${kind}.${layer}.${head ?? "*"}`;

function lookOf(hash: URLSearchParams): Look | null {
  const q = hash.get("look");
  if (q === null) return null;
  return { q, models: hash.getAll("of"), output: hash.get("output"), begin: hash.getAll("begin"), off: headsOf(hash.getAll("off")), moved: movedOf(hash.getAll("moved")) };
}

// ---- What is chosen for each model in Compare, or for each run: 1.cross.0.mean, with nothing where nothing is chosen.
function panelsOf(texts: string[]): Record<number, Own> {
  const panels: Record<number, Own> = {};
  for (const text of texts) {
    const [, model, kind, layer, head] = /^(\d{1,3})\.(encoder|decoder|cross|)\.(\d{0,6})\.(\d{0,6}|mean)$/.exec(text) ?? [];
    if (model === undefined) continue;
    panels[Number(model)] = { kind: (kind as Kind) || null, layer: number(layer || null), head: head === "mean" ? "mean" : number(head || null) };
  }
  return panels;
}

const panelText = (model: string, { kind, layer, head }: Own): string => `${model}.${kind ?? ""}.${layer ?? ""}.${head ?? ""}`;

// ---- Maps that are zoomed: heat0_2.25_3_0.5
function zoomsOf(texts: string[]): Record<string, Seen> {
  const zooms: Record<string, Seen> = {};
  for (const text of texts) {
    const [, place, zoom, x, y] = /^([a-z]+\d{1,3})_(\d{1,3}(?:\.\d+)?)_(\d{1,6}(?:\.\d+)?)_(\d{1,6}(?:\.\d+)?)$/.exec(text) ?? [];
    if (place !== undefined) zooms[place] = { zoom: Number(zoom), x: Number(x), y: Number(y) };
  }
  return zooms;
}

const short = (x: number): number => Math.round(100 * x) / 100;

// ---- Numbers
const DIMENSIONS = [0, 1, 20, 40, 80], POSITION = 10, TEMPERATURE = 0.8;

// 0.3.7; null: it is no such list.
const numbersOf = (text: string | null, most: number): number[] | null => {
  const all = text === null || !/^(\d{1,6}(\.\d{1,6})*)?$/.test(text) ? null : text.split(".").filter((each) => each !== "").map(Number);
  return all && all.length <= most ? all : null;
};

const dimensionsOf = (text: string | null): number[] => {
  const all = numbersOf(text, 8);
  return all && all.length > 0 ? all : DIMENSIONS;
};

function between(text: string | null, least: number, most: number, usual: number): number {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return value >= least && value <= most ? value : usual;
}

// `opens`: the view of a document whose address names none.
export function readState(opens: ViewName | null): State {
  const hash = new URLSearchParams(location.hash.slice(1));
  const view = hash.get("view") as ViewName, kind = hash.get("kind") as Kind, scale = hash.get("scale") as Scale, measure = hash.get("measure") as Measure;
  const language = hash.get("language") ?? kept("language") ?? navigator.language;
  const theme = kept("theme"), stack = hash.get("stack"), order = hash.get("order") as Order, least = between(hash.get("least"), 0, 0.5, -1);
  return {
    view: VIEWS.includes(view) ? view : (opens ?? "translate"),
    sentence: number(hash.get("sentence")) ?? 0,
    model: number(hash.get("model")) ?? 0,
    kind: KINDS.includes(kind) ? kind : null,
    layer: number(hash.get("layer")),
    head: hash.get("head") === "mean" ? "mean" : number(hash.get("head")),
    scale: SCALES.includes(scale) ? scale : "max",
    measure: MEASURES.includes(measure) ? measure : "weights",
    cell: cellOf(hash.get("cell")),
    zooms: zoomsOf(hash.getAll("zoom")),
    order: ORDERS.includes(order) ? order : "byLayer",
    lit: numbersOf(hash.get("lit"), 1000),
    least: least < 0 ? null : least,
    row: number(hash.get("row")) ?? 0,
    step: number(hash.get("step")) ?? 1,
    node: number(hash.get("node")),
    at: number(hash.get("at")),
    translator: hash.get("translator"),
    alternatives: number(hash.get("alternatives")) ?? USUAL_ALTERNATIVES,
    outputs: numbersOf(hash.get("outputs"), 1000) ?? [],
    run: hash.get("run"),
    text: hash.get("text") ?? "",
    look: lookOf(hash),
    sheet: hash.get("sheet") ?? "",
    hide: hash.has("hide"),
    ordered: hash.has("ordered"),
    scene: number(hash.get("scene")),
    panels: panelsOf(hash.getAll("panel")),
    stack: stack === "encoder" || stack === "decoder" ? stack : null,
    depth: hash.get("depth") === "-1" ? -1 : number(hash.get("depth")),
    temperature: between(hash.get("temperature"), 0, 2, TEMPERATURE),
    topK: number(hash.get("top_k")) ?? 0,
    dimensions: dimensionsOf(hash.get("dimensions")),
    position: number(hash.get("position")) ?? POSITION,
    language: language.startsWith("zh") ? "zh" : "en",
    theme: theme === "light" || theme === "dark" ? theme : "system",
    keys: kept("keys") !== "off",
  };
}

// What a reader would send to somebody else.
export function addressOf(state: State): string {
  const hash = new URLSearchParams();
  for (const name of ["view", "sentence", "model", "kind", "layer", "head", "at", "node", "least", "translator", "run", "stack", "depth", "scene"] as const)
    if (state[name] !== null) hash.set(name, String(state[name]));
  if (state.scale !== "max") hash.set("scale", state.scale);
  if (state.measure !== "weights") hash.set("measure", state.measure);
  if (state.cell) hash.set("cell", state.cell.join("."));
  for (const [place, { zoom, x, y }] of Object.entries(state.zooms)) hash.append("zoom", [place, ...[zoom, x, y].map(short)].join("_"));
  if (state.order !== "byLayer") hash.set("order", state.order);
  if (state.lit !== null) hash.set("lit", state.lit.join("."));
  if (state.row !== 0) hash.set("row", String(state.row));
  if (state.step !== 1) hash.set("step", String(state.step));
  if (state.alternatives !== USUAL_ALTERNATIVES) hash.set("alternatives", String(state.alternatives));
  if (state.outputs.some((output) => output > 0)) hash.set("outputs", state.outputs.join("."));
  if (state.text !== "" && state.text.length <= LONGEST_TEXT) hash.set("text", state.text);
  if (state.look && state.look.q.length <= LONGEST_TEXT) {
    hash.set("look", state.look.q);
    for (const model of state.look.models) hash.append("of", model);
    if (state.look.output !== null) hash.set("output", state.look.output);
    for (const token of state.look.begin) hash.append("begin", token);
    for (const head of state.look.off) hash.append("off", headText(head));
    for (const moved of state.look.moved) hash.append("moved", `${headText(moved)}.${moved.query}.${moved.key}`);
  }
  if (state.sheet !== "") hash.set("sheet", state.sheet);
  for (const name of ["hide", "ordered"] as const) if (state[name]) hash.set(name, "1");
  for (const [model, own] of Object.entries(state.panels)) hash.append("panel", panelText(model, own));
  if (state.temperature !== TEMPERATURE) hash.set("temperature", String(state.temperature));
  if (state.topK !== 0) hash.set("top_k", String(state.topK));
  if (state.dimensions.join() !== DIMENSIONS.join()) hash.set("dimensions", state.dimensions.join("."));
  if (state.position !== POSITION) hash.set("position", String(state.position));
  hash.set("language", state.language);
  return `#${hash}`;
}

export function keepState(state: State, before: boolean): void {
  const address = addressOf(state);
  try {
    if (before && address !== location.hash) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  } catch {
    // a page inside another one may not be allowed to
  }
  try {
    localStorage.setItem("attune-language", state.language);
    localStorage.setItem("attune-theme", state.theme);
    localStorage.setItem("attune-keys", state.keys ? "on" : "off");
  } catch {
    // a page from disk may have no storage
  }
}
