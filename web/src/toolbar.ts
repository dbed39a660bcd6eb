// Which matrix: kind, layer, head, colour.
import { chosenHead, chosenOf, elsewhere, SCALES, type App } from "./app";
import { alignedHead, alignedLayer } from "./aligned";
import { kindsOf, type Attention, type Kind, type Layer } from "./data";
import { button, h, raised, select } from "./dom";
import type { TextKey } from "./texts";

export const headName = (app: App, head: number | null): string => (head === null ? app.t("meanOfHeads") : String(head));

// What looks at what. Where there is one text, it is neither source nor target.
export const kindName = (app: App, attention: Attention, kind: Kind): string => app.t(kind !== "cross" && kindsOf(attention).length === 1 ? "oneText" : kind);

// Menus are there only where there is something to choose.
export function kindSelect(app: App, attention: Attention): HTMLElement | null {
  const chosen = chosenOf(app, attention), kinds = kindsOf(attention);
  if (!chosen || kinds.length < 2) return null;
  return select(
    app.t("kind"),
    kinds.map((kind) => ({ value: kind, label: app.t(kind) })),
    chosen.kind,
    (kind) => app.set({ kind, layer: null, head: null, cell: null }),
    "kind",
  );
}

export function layerSelect(app: App, attention: Attention, layers: Layer[], at: number): HTMLElement | null {
  if (layers.length < 2) return null;
  const best = layers[0]!.kind === "cross" ? alignedLayer(attention, "cross") : -1;
  return select(
    app.t("layer"),
    layers.map((layer, i) => ({ value: i, label: `${layer.layer}${i === best ? ` ★` : ""}` })),
    at,
    (layer) => app.set({ layer }),
    "layer",
  );
}

export function headSelect(app: App, attention: Attention, layer: Layer): HTMLElement | null {
  if (layer.heads.length < 2) return null;
  const heads: (number | null)[] = [null, ...layer.heads], best = alignedHead(attention, layer);
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

// What rows and columns of these pictures are.
export function meanings(app: App, kinds: Kind[]): HTMLElement[] {
  return [...new Set(kinds)].map((kind) => hint(app.t(`${kind}Help`)));
}

// Why nothing is shown, and a button to where there is something.
export function missing(app: App, why: TextKey, has: (attention: Attention) => boolean): HTMLElement {
  const there = elsewhere(app, has);
  return h("div", {}, hint(app.t(why)), there && button(app.t("goThere"), () => app.set(there), { "data-action": "elsewhere" }));
}

// What stands between `` is to be typed.
export function hint(text: string): HTMLElement {
  return h("p", { class: "hint" }, ...text.split("`").flatMap((part, i) => (i % 2 === 0 ? raised(part) : [h("code", {}, part)])));
}
