// One matrix, large.
import { attentionOf, chosenHead, chosenOf, type App } from "../app";
import { columnLabels, rowLabels } from "../data";
import { h } from "../dom";
import { HeatMap } from "../heat_map";
import { headOf } from "../maths";
import { colourSelect, headSelect, hint, kindSelect, layerSelect, toolbar } from "../toolbar";

export function heatView(app: App): HTMLElement {
  const attention = attentionOf(app);
  const chosen = attention && chosenOf(app, attention);
  if (!attention || !chosen) return hint(app.t("nothing"));
  const map = new HeatMap(app, {
    matrix: headOf(chosen.layer, chosenHead(app, chosen.layer)),
    rows: rowLabels(attention, chosen.kind),
    columns: columnLabels(attention, chosen.kind),
    log: app.state.log,
  });
  return h(
    "section",
    {},
    toolbar(kindSelect(app, attention), layerSelect(app, chosen.layers, chosen.at), headSelect(app, chosen.layer), colourSelect(app)),
    chosen.layer.heads.length === 0 && hint(app.t("meanNote")),
    map.element,
  );
}
