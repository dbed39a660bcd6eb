// Which matrix: kind, layer, head, colour.
import { chosenHead, chosenOf, type App } from "./app";
import { kindsOf, type Attention, type Layer } from "./data";
import { h, select } from "./dom";

export const headName = (app: App, head: number | null): string => (head === null ? app.t("meanOfHeads") : String(head));

export function kindSelect(app: App, attention: Attention): HTMLElement | null {
  const chosen = chosenOf(app, attention);
  if (!chosen) return null;
  return select(
    app.t("kind"),
    kindsOf(attention).map((kind) => ({ value: kind, label: app.t(kind) })),
    chosen.kind,
    (kind) => app.set({ kind, layer: null, head: null }),
    "kind",
  );
}

export function layerSelect(app: App, layers: Layer[], at: number): HTMLElement {
  return select(
    app.t("layer"),
    layers.map((layer, i) => ({ value: i, label: String(layer.layer) })),
    at,
    (layer) => app.set({ layer }),
    "layer",
  );
}

export function headSelect(app: App, layer: Layer): HTMLElement {
  const heads: (number | null)[] = [null, ...layer.heads];
  return select(
    app.t("head"),
    heads.map((head) => ({ value: head, label: headName(app, head) })),
    chosenHead(app, layer),
    (head) => app.set({ head }),
    "head",
  );
}

export function colourSelect(app: App): HTMLElement {
  return select(
    app.t("colour"),
    [false, true].map((log) => ({ value: log, label: app.t(log ? "log" : "linear") })),
    app.state.log,
    (log) => app.set({ log }),
    "colour",
  );
}

export function toolbar(...parts: (HTMLElement | null)[]): HTMLElement {
  return h("div", { class: "toolbar" }, ...parts);
}

export function hint(text: string): HTMLElement {
  return h("p", { class: "hint" }, text);
}
