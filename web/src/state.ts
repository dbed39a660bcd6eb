// What is chosen stands in the address (a link brings it back); language and theme are kept for the next page.
import { KINDS, type Kind } from "./data";
import { VIEWS, type State, type ViewName } from "./app";

const USUAL_ALTERNATIVES = 2;

const number = (text: string | null): number | null => (text !== null && /^\d+$/.test(text) ? Number(text) : null);

function kept(name: string): string | null {
  try {
    return localStorage.getItem(`attune-${name}`);
  } catch {
    return null; // a page from disk may have no storage
  }
}

export function firstState(): State {
  const hash = new URLSearchParams(location.hash.slice(1));
  const view = hash.get("view") as ViewName, kind = hash.get("kind") as Kind;
  const language = hash.get("language") ?? kept("language") ?? navigator.language;
  const theme = kept("theme");
  return {
    view: VIEWS.includes(view) ? view : "translate",
    sentence: number(hash.get("sentence")) ?? 0,
    model: number(hash.get("model")) ?? 0,
    kind: KINDS.includes(kind) ? kind : null,
    layer: number(hash.get("layer")),
    head: number(hash.get("head")),
    log: hash.get("log") === "1",
    translator: hash.get("translator"),
    alternatives: number(hash.get("alternatives")) ?? USUAL_ALTERNATIVES,
    run: hash.get("run"),
    language: language.startsWith("zh") ? "zh" : "en",
    theme: theme === "light" || theme === "dark" ? theme : "system",
  };
}

export function keepState(state: State): void {
  const hash = new URLSearchParams();
  for (const name of ["view", "sentence", "model", "kind", "layer", "head", "translator", "run"] as const)
    if (state[name] !== null) hash.set(name, String(state[name]));
  if (state.log) hash.set("log", "1");
  if (state.alternatives !== USUAL_ALTERNATIVES) hash.set("alternatives", String(state.alternatives));
  try {
    history.replaceState(null, "", `#${hash}`);
    localStorage.setItem("attune-language", state.language);
    localStorage.setItem("attune-theme", state.theme);
  } catch {
    // a page from disk may have no storage
  }
}
