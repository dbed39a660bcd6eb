// What every view sees: the document, what is chosen, and how to choose.
import { alignedHead, alignedLayer } from "./aligned";
import { defaultKind, kindsOf, layersOf } from "./data";
import type { Attention, Document, Kind, Layer, Sentence } from "./data";
import type { Figure } from "./figure";
import type { Language, TextKey } from "./texts";

export type ViewName = "translate" | "write" | "fill" | "learn" | "scene" | "heat" | "heads" | "model" | "steps" | "compare" | "states" | "hand" | "positions" | "training" | "story";
export const VIEWS: readonly ViewName[] = ["translate", "write", "fill", "learn", "scene", "heat", "heads", "model", "steps", "compare", "states", "hand", "positions", "training", "story"];

// What only a server can do, if it has a model for it.
export const ASKING: ReadonlySet<ViewName> = new Set<ViewName>(["translate", "write", "fill"]);

// Colours up to the greatest weight, up to 1, or by the logarithm.
export type Scale = "max" | "one" | "log";
export const SCALES: readonly Scale[] = ["max", "one", "log"];

// What is shown of a layer: its weights, the norms of what they pass on, or attention through all layers below;
// and how the output depends on what was read, by its gradient.
export type Measure = "weights" | "norms" | "rollout" | "gradients";
export const MEASURES: readonly Measure[] = ["weights", "norms", "rollout", "gradients"];

// How heads are ordered among all of them: by layer, or by what they do.
export type Order = "byLayer" | "importance" | "entropy" | "information" | "diagonal" | "previous";
export const ORDERS: readonly Order[] = ["byLayer", "importance", "entropy", "information", "diagonal", "previous"];

// A head of a layer; null: all of them.
export interface HeadAt {
  kind: Kind;
  layer: number;
  head: number | null;
}

// A token that gives another one all its weight.
export interface Moved extends HeadAt {
  query: number;
  key: number;
}

// What a server was asked to look into.
export interface Look {
  q: string;
  models: string[];
  output: string | null; // that the model is made to write; null: what it finds
  begin: string[]; // tokens that its search has to begin with
  off: HeadAt[]; // heads that add nothing
  moved: Moved[];
}

export const lookAt = (q: string, models: string[], output: string | null = null): Look => ({ q, models, output, begin: [], off: [], moved: [] });

// Where one looks in a map: how many times larger, and the first column and row, in cells.
export interface Seen {
  zoom: number;
  x: number;
  y: number;
}

// What is chosen for a model in Compare, or for a run in Training.
export type Own = Partial<Pick<State, "kind" | "layer" | "head">>;

export interface State {
  view: ViewName;
  sentence: number;
  model: number;
  kind: Kind | null; // null: what the model has
  layer: number | null; // number in its kind; null: the one that aligns
  head: number | "mean" | null; // null: the one that aligns
  scale: Scale;
  measure: Measure;
  cell: [number, number] | null; // row and column that are marked
  zooms: Record<string, Seen>; // of maps that are zoomed, by view and place: heat0, compare1
  order: Order;
  lit: number[] | null; // heads whose lines are drawn, by their places; null: all, or the one that is chosen
  least: number | null; // weight of a line; null: what suits the sentence
  row: number; // what looks at a picture, a graph or a series
  step: number; // of the search
  node: number | null; // of its tree
  at: number | null; // a validation; null: the last
  translator: string | null; // of the server's models; null: the first
  alternatives: number; // outputs beside the best
  outputs: number[]; // for each sentence the one that is chosen
  run: string | null; // of the server's; null: the first
  text: string; // that the server is to translate or to continue
  look: Look | null;
  sheet: string; // numbers by hand
  hide: boolean; // its answers
  ordered: boolean; // the story's words have positions
  scene: number | null; // where the story's player stands; null: at its beginning
  panels: Record<number, Own>; // by model, or by run
  stack: "encoder" | "decoder" | null; // whose states are shown; null: what there is
  depth: number | null; // the layer of the states, -1 before the first; null: the last
  temperature: number; // of what is written
  topK: number;
  dimensions: number[]; // of positions, drawn as curves
  position: number;
  language: Language;
  theme: "system" | "light" | "dark";
  keys: boolean; // shortcuts of one key
}

// What a view can give away.
export interface Offer {
  name: string; // of files
  figure?: () => Figure;
  table?: () => string[][];
}

export interface App {
  document: Document;
  state: State;
  t(key: TextKey): string;
  // Shown again; Back returns to what was.
  set(change: Partial<State>): void;
  // The view has shown it already; it is only kept in the address. `back`: Back returns to what was.
  note(change: Partial<State>, back?: boolean): void;
  // Another document from the same server, in this view.
  take(document: Document, view: ViewName, look: Look, cell?: [number, number]): void;
  offer(offer: Offer): void;
  // A view that listens to keys or runs a clock stops when it is left.
  onLeave(stop: () => void): void;
  onKey(listener: (event: KeyboardEvent) => boolean): void;
}

// Of another sentence or model.
export const FRESH = { cell: null, zooms: {}, step: 1, node: null, row: 0 } satisfies Partial<State>;

export function sentenceOf(app: App): Sentence | undefined {
  return app.document.sentences[app.state.sentence];
}

export function attentionOf(app: App): Attention | undefined {
  return sentenceOf(app)?.models[app.state.model];
}

// Where another sentence or model of the page has what this one has not.
export function elsewhere(app: App, has: (attention: Attention) => boolean): Partial<State> | null {
  const { sentences } = app.document;
  const sentence = sentences.findIndex(({ models }) => models.some(has));
  return sentence < 0 ? null : { ...FRESH, sentence, model: sentences[sentence]!.models.findIndex(has) };
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
  const at = Math.min(app.state.layer ?? alignedLayer(attention, kind), layers.length - 1);
  return { kind, layers, at, layer: layers[at]! };
}

// null: the mean of all.
export function chosenHead(app: App, attention: Attention, layer: Layer): number | null {
  const { head } = app.state;
  if (typeof head === "number" && layer.heads.includes(head)) return head;
  return head === null ? alignedHead(attention, layer) : null;
}
