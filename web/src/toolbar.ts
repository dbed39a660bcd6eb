// Which matrix: kind, layer, head, colour.
import { chosenHead, chosenOf, elsewhere, SCALES, type App } from "./app";
import { alignedHead, alignedLayer } from "./aligned";
import { kindsOf, type Attention, type Layer } from "./data";
import { button, h, select } from "./dom";
import type { TextKey } from "./texts";

export const headName = (app: App, head: number | null): string => (head === null ? app.t("meanOfHeads") : String(head));

export function kindSelect(app: App, attention: Attention): HTMLElement | null {
  const chosen = chosenOf(app, attention);
  if (!chosen) return null;
  return select(
    app.t("kind"),
    kindsOf(attention).map((kind) => ({ value: kind, label: app.t(kind) })),
    chosen.kind,
    (kind) => app.set({ kind, layer: null, head: null, cell: null }),
    "kind",
  );
}

export function layerSelect(app: App, attention: Attention, layers: Layer[], at: number): HTMLElement {
  const best = layers[0]!.kind === "cross" && layers.length > 1 ? alignedLayer(attention, "cross") : -1;
  return select(
    app.t("layer"),
    layers.map((layer, i) => ({ value: i, label: `${layer.layer}${i === best ? ` ★` : ""}` })),
    at,
    (layer) => app.set({ layer }),
    "layer",
  );
}

export function headSelect(app: App, attention: Attention, layer: Layer): HTMLElement {
  const heads: (number | null)[] = [null, ...layer.heads];
  const best = layer.heads.length > 1 ? alignedHead(attention, layer) : null;
  return select(
    app.t("head"),
    heads.map((head) => ({ value: head, label: `${headName(app, head)}${head !== null && head === best ? " ★" : ""}` })),
    chosenHead(app, attention, layer),
    (head) => app.set({ head: head ?? "mean" }),
    "head",
  );
}

export function colourSelect(app: App): HTMLElement {
  return select(
    app.t("colour"),
    SCALES.map((scale) => ({ value: scale, label: app.t(`${scale}Scale`) })),
    app.state.scale,
    (scale) => app.set({ scale }),
    "colour",
  );
}

export function toolbar(...parts: (HTMLElement | null)[]): HTMLElement {
  return h("div", { class: "toolbar" }, ...parts);
}

// Why nothing is shown, and a button to where there is something.
export function missing(app: App, why: TextKey, has: (attention: Attention) => boolean): HTMLElement {
  const there = elsewhere(app, has);
  return h("div", {}, hint(app.t(why)), there && button(app.t("goThere"), () => app.set(there), { "data-action": "elsewhere" }));
}

// What stands between `` is to be typed.
export function hint(text: string): HTMLElement {
  return h("p", { class: "hint" }, ...text.split("`").map((part, i) => (i % 2 === 0 ? part : h("code", {}, part))));
}
