// What is chosen stands in the address: a link brings it back, and so does the browser's Back. Theme and keys are the reader's own
// and kept for the next page.
import { KINDS, type Kind } from "./data";
import { MEASURES, SCALES, VIEWS, type Measure, type Scale, type State, type ViewName } from "./app";

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

// `opens`: the view of a document whose address names none.
export function readState(opens: ViewName | null): State {
  const hash = new URLSearchParams(location.hash.slice(1));
  const view = hash.get("view") as ViewName, kind = hash.get("kind") as Kind, scale = hash.get("scale") as Scale, measure = hash.get("measure") as Measure;
  const language = hash.get("language") ?? kept("language") ?? navigator.language;
  const theme = kept("theme"), look = hash.get("look");
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
    step: number(hash.get("step")) ?? 1,
    at: number(hash.get("at")),
    translator: hash.get("translator"),
    alternatives: number(hash.get("alternatives")) ?? USUAL_ALTERNATIVES,
    run: hash.get("run"),
    text: hash.get("text") ?? "",
    look: look === null ? null : { q: look, models: hash.getAll("of"), output: hash.get("output") },
    sheet: hash.get("sheet") ?? "",
    language: language.startsWith("zh") ? "zh" : "en",
    theme: theme === "light" || theme === "dark" ? theme : "system",
    keys: kept("keys") !== "off",
  };
}

// What a reader would send to somebody else.
export function addressOf(state: State): string {
  const hash = new URLSearchParams();
  for (const name of ["view", "sentence", "model", "kind", "layer", "head", "at", "translator", "run"] as const)
    if (state[name] !== null) hash.set(name, String(state[name]));
  if (state.scale !== "max") hash.set("scale", state.scale);
  if (state.measure !== "weights") hash.set("measure", state.measure);
  if (state.cell) hash.set("cell", state.cell.join("."));
  if (state.step !== 1) hash.set("step", String(state.step));
  if (state.alternatives !== USUAL_ALTERNATIVES) hash.set("alternatives", String(state.alternatives));
  if (state.text !== "" && state.text.length <= LONGEST_TEXT) hash.set("text", state.text);
  if (state.look && state.look.q.length <= LONGEST_TEXT) {
    hash.set("look", state.look.q);
    for (const model of state.look.models) hash.append("of", model);
    if (state.look.output !== null) hash.set("output", state.look.output);
  }
  if (state.sheet !== "") hash.set("sheet", state.sheet);
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
