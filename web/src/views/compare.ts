// The same sentence in several models, side by side.
import { chosenHead, chosenOf, sentenceOf, type App } from "../app";
import { columnLabels, rowLabels, type Attention } from "../data";
import { h } from "../dom";
import { HeatMap } from "../heat_map";
import { headOf } from "../maths";
import { colourSelect, headSelect, hint, kindSelect, layerSelect, toolbar } from "../toolbar";
import type { State } from "../app";

type Own = Partial<Pick<State, "kind" | "layer" | "head">>;
const own = new Map<number, Own>(); // what was chosen for each model here

export function compareView(app: App): HTMLElement {
  const sentence = sentenceOf(app);
  if (!sentence || sentence.models.length < 2) return hint(app.t("oneModel"));
  return h(
    "section",
    {},
    toolbar(colourSelect(app)),
    hint(app.t("compareHelp")),
    h("div", { class: "panels" }, ...sentence.models.map((attention, i) => panel(app, attention, i, sentence.expected))),
  );
}

function panel(app: App, attention: Attention, i: number, expected: string): HTMLElement {
  const figure = h("figure", { "data-model": i });
  const fill = () => {
    const mine: App = {
      ...app,
      state: { ...app.state, kind: null, layer: null, head: null, ...own.get(i) },
      set: (change) => {
        if ("log" in change) return app.set(change);
        own.set(i, { ...own.get(i), ...change });
        fill();
      },
    };
    const chosen = chosenOf(mine, attention);
    const right = expected !== "" && (attention.target === expected ? "good" : "bad");
    figure.replaceChildren(
      h("figcaption", {}, h("b", {}, attention.model), ` ${attention.type} `, h("bdi", { class: `output ${right || ""}` }, attention.target)),
    );
    if (!chosen) return figure.append(hint(app.t("nothing")));
    figure.append(
      toolbar(kindSelect(mine, attention), layerSelect(mine, chosen.layers, chosen.at), headSelect(mine, chosen.layer)),
      new HeatMap(app, {
        matrix: headOf(chosen.layer, chosenHead(mine, chosen.layer)),
        rows: rowLabels(attention, chosen.kind),
        columns: columnLabels(attention, chosen.kind),
        log: app.state.log,
      }).element,
    );
  };
  fill();
  return figure;
}
