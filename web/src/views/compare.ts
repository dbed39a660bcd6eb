// The same sentence in several models, side by side.
import { chosenHead, chosenOf, sentenceOf, type App } from "../app";
import { columnLabels, rowLabels, type Attention } from "../data";
import { h } from "../dom";
import { beside } from "../figure";
import { HeatMap } from "../heat_map";
import { headOf } from "../maths";
import { colourSelect, headSelect, hint, kindSelect, layerSelect, meanings, toolbar } from "../toolbar";
import type { State } from "../app";
import { tableOf, titled } from "./heat";

export function compareView(app: App): HTMLElement {
  const sentence = sentenceOf(app);
  if (!sentence || sentence.models.length < 2) return hint(app.t("oneModel"));
  const seen = () => sentence.models.map((attention, i) => ({ attention, ...shownOf(app, attention, i) }));
  app.offer({
    name: "compared",
    table: () => seen().flatMap(({ attention, chosen, matrix }) => (chosen ? [[attention.model, attention.target], ...tableOf(matrix, rowLabels(attention, chosen.kind), columnLabels(attention, chosen.kind)), []] : [])),
    figure: () => beside(seen().flatMap(({ attention, chosen, head, matrix }) => (chosen ? [titled(app, attention, { kind: chosen.kind, layer: chosen.layer.layer, head, measure: "weights", matrix, rows: rowLabels(attention, chosen.kind) })] : []))),
  });
  return h(
    "section",
    {},
    toolbar(colourSelect(app)),
    hint(app.t("compareHelp")),
    ...meanings(app, seen().flatMap(({ chosen }) => chosen?.kind ?? [])),
    h("div", { class: "panels" }, ...sentence.models.map((attention, i) => panel(app, attention, i, sentence.expected))),
  );
}

const stateOf = (app: App, i: number): State => ({ ...app.state, kind: null, layer: null, head: null, ...app.state.panels[i] });

// What a model's panel shows.
function shownOf(app: App, attention: Attention, i: number) {
  const mine: App = { ...app, state: stateOf(app, i) };
  const chosen = chosenOf(mine, attention), head = chosen ? chosenHead(mine, attention, chosen.layer) : null;
  return { chosen, head, matrix: chosen ? headOf(chosen.layer, head) : headOf({ kind: "cross", layer: 0, heads: [], matrices: [], norms: [] }, null) };
}

function panel(app: App, attention: Attention, i: number, expected: string): HTMLElement {
  const figure = h("figure", { class: "card", "data-model": i });
  const fill = () => {
    const mine: App = {
      ...app,
      state: stateOf(app, i),
      set: (change) => {
        if ("scale" in change) return app.set(change);
        const { kind, layer, head } = { ...app.state.panels[i], ...change };
        app.set({ panels: { ...app.state.panels, [i]: { kind, layer, head } } });
      },
    };
    const { chosen, matrix } = shownOf(app, attention, i);
    const right = expected !== "" && (attention.target === expected ? "good" : "bad");
    figure.replaceChildren(
      h("figcaption", {}, h("b", {}, attention.model), attention.model.toLowerCase() === attention.type ? " " : ` ${attention.type} `, h("bdi", { class: `output ${right || ""}` }, attention.target)),
    );
    if (!chosen) return figure.append(hint(app.t("nothing")));
    figure.append(
      toolbar(kindSelect(mine, attention), layerSelect(mine, attention, chosen.layers, chosen.at), headSelect(mine, attention, chosen.layer)),
      new HeatMap(app, { matrix, rows: rowLabels(attention, chosen.kind), columns: columnLabels(attention, chosen.kind), place: i }).element,
    );
  };
  fill();
  return figure;
}
