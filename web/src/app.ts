// What every view sees: the document, what is chosen, and how to choose.
import { defaultKind, defaultLayer, kindsOf, layersOf } from "./data";
import type { Attention, Document, Kind, Layer, Sentence } from "./data";
import type { Language, TextKey } from "./texts";

export type ViewName = "translate" | "scene" | "heat" | "heads" | "model" | "steps" | "compare" | "hand" | "positions" | "training";
export const VIEWS: readonly ViewName[] = ["translate", "scene", "heat", "heads", "model", "steps", "compare", "hand", "positions", "training"];

// A page from disk does not translate, and only what is not words is drawn as what it is.
export function viewsOf(document: Document): readonly ViewName[] {
  const scenes = document.sentences.some((sentence) => sentence.models.some((model) => model.scenes.length > 0));
  return VIEWS.filter((view) => (view !== "translate" || document.server) && (view !== "scene" || scenes));
}

export interface State {
  view: ViewName;
  sentence: number;
  model: number;
  kind: Kind | null; // null: what the model has
  layer: number | null; // number in its kind; null: the one that aligns
  head: number | null; // null: the mean
  log: boolean;
  translator: string | null; // of the server's models; null: the first
  alternatives: number; // outputs beside the best
  run: string | null; // of the server's; null: the first
  language: Language;
  theme: "system" | "light" | "dark";
}

export interface App {
  document: Document;
  state: State;
  t(key: TextKey): string;
  set(change: Partial<State>): void;
  // Another document from the same server, in this view.
  take(document: Document, view: ViewName): void;
  // A view that listens to keys or runs a clock stops when it is left.
  onLeave(stop: () => void): void;
  onKey(listener: (event: KeyboardEvent) => boolean): void;
}

export function sentenceOf(app: App): Sentence | undefined {
  return app.document.sentences[app.state.sentence];
}

export function attentionOf(app: App): Attention | undefined {
  return sentenceOf(app)?.models[app.state.model];
}

export interface Chosen {
  kind: Kind;
  layer: Layer;
  layers: Layer[];
  at: number; // of the layer among them
}

// What is chosen, as far as this model has it.
export function chosenOf(app: App, attention: Attention): Chosen | undefined {
  const kinds = kindsOf(attention);
  const kind = app.state.kind && kinds.includes(app.state.kind) ? app.state.kind : defaultKind(attention);
  const layers = layersOf(attention, kind);
  if (layers.length === 0) return undefined;
  const at = Math.min(app.state.layer ?? defaultLayer(attention, kind), layers.length - 1);
  return { kind, layers, at, layer: layers[at]! };
}

export function chosenHead(app: App, layer: Layer): number | null {
  return app.state.head !== null && layer.heads.includes(app.state.head) ? app.state.head : null;
}
