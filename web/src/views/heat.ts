// One matrix, large.
import { attentionOf, chosenHead, chosenOf, MEASURES, type App, type Chosen, type Measure } from "../app";
import { arithmetic } from "../arithmetic";
import { columnLabels, rowLabels, type Attention, type Kind, type Layer, type Matrix } from "../data";
import { button, digits, h, select } from "../dom";
import { below, caption, legendFigure, matrixFigure, remark } from "../figure";
import { HeatMap } from "../heat_map";
import { headOf, shadingOf } from "../maths";
import { rollout, weightedNorms } from "../measures";
import { fetchAttention } from "../server";
import { colourSelect, headName, headSelect, hint, kindSelect, layerSelect, toolbar } from "../toolbar";

const kept = new WeakMap<Attention, { x: number; y: number; zoom: number }>(); // where one looked

export function heatView(app: App): HTMLElement {
  const attention = attentionOf(app);
  const chosen = attention && chosenOf(app, attention);
  if (!attention || !chosen) return hint(app.t("nothing"));
  const { kind, layer } = chosen;
  const head = chosenHead(app, attention, layer);
  const { measure, matrix } = measured(app, chosen, head);
  const rows = rowLabels(attention, kind), columns = columnLabels(attention, kind);
  if (!kept.has(attention)) kept.set(attention, { x: 0, y: 0, zoom: 1 });
  const below = h("div");
  const explain = (q: number, k: number) => {
    app.note({ cell: [q, k] });
    below.replaceChildren(...[explained(app, attention, layer, head, rows, columns, q, k)].flatMap((part) => part ?? []));
  };
  const map = new HeatMap(app, { matrix, rows, columns, cell: app.state.cell, choose: explain, kept: kept.get(attention) });
  const { cell } = app.state;
  if (cell && cell[0] < rows.length && cell[1] < columns.length) explain(...cell);
  app.offer({
    name: "attention",
    table: () => tableOf(matrix, rows, columns),
    figure: () => titled(app, attention, kind, layer.layer, head, matrix),
  });
  return h(
    "section",
    {},
    toolbar(kindSelect(app, attention), layerSelect(app, attention, chosen.layers, chosen.at), headSelect(app, attention, layer), measureSelect(app, chosen), colourSelect(app)),
    hint(app.t(measure === "weights" ? `${kind}Help` : `${measure}Help`)),
    layer.heads.length === 0 && hint(app.t("meanNote")),
    map.element,
    below,
  );
}

// What is asked for, as far as the layer has it.
function measured(app: App, { kind, layer, layers, at }: Chosen, head: number | null): { measure: Measure; matrix: Matrix } {
  const norms = app.state.measure === "norms" ? weightedNorms(layer, head) : null;
  if (norms) return { measure: "norms", matrix: norms };
  if (app.state.measure === "rollout" && kind !== "cross") return { measure: "rollout", matrix: rollout(layers.slice(0, at + 1)) };
  return { measure: "weights", matrix: headOf(layer, head) };
}

function measureSelect(app: App, { kind, layer }: Chosen): HTMLElement | null {
  const known = MEASURES.filter((measure) => measure === "weights" || (measure === "norms" ? layer.norms.length > 0 : kind !== "cross"));
  if (known.length < 2) return null;
  return select(app.t("measure"), known.map((value) => ({ value, label: app.t(`${value}Measure`) })), known.includes(app.state.measure) ? app.state.measure : "weights", (measure) => app.set({ measure }), "measure");
}

// The arithmetic of a cell, if the page has the numbers; a server has them.
function explained(app: App, attention: Attention, layer: Layer, head: number | null, rows: string[], columns: string[], q: number, k: number): HTMLElement | null {
  const inputs = attention.inputs.find((each) => each.kind === layer.kind && each.layer === layer.layer);
  if (inputs) return head === null && layer.heads.length > 1 ? hint(app.t("chooseHead")) : arithmetic(app, { attention, layer, head: head ?? layer.heads[0] ?? 0, rows, columns, q, k }, inputs);
  const { look } = app.state;
  if (!app.document.server || !look) return app.document.server ? null : hint(app.t("noInputs"));
  const ask = button(app.t("arithmetic"), () => {
    ask.disabled = true;
    fetchAttention({ q: look.q, model: look.models, output: look.output ?? undefined, numbers: true }).then((seen) => app.take(seen, "heat", look, [q, k]), () => (ask.disabled = false));
  }, { "data-action": "arithmetic" });
  return h("p", {}, ask);
}

export function tableOf(matrix: Matrix, rows: string[], columns: string[]): string[][] {
  return [["", ...columns], ...rows.map((row, q) => [row, ...columns.map((_, k) => digits(matrix.weights[q * matrix.keys + k]!))])];
}

// A matrix with all that a reader of a paper needs.
export function titled(app: App, attention: Attention, kind: Kind, layer: number, head: number | null, matrix: Matrix) {
  const shading = shadingOf(app.state.scale, [matrix]);
  const place = `${app.t(kind)}, ${app.t("layer")} ${layer}, ${app.t("head")} ${headName(app, head)}`;
  return below([
    caption(`${attention.model}: ${attention.source}${attention.target ? ` → ${attention.target}` : ""}`),
    remark(place),
    matrixFigure(matrix, rowLabels(attention, kind), columnLabels(attention, kind), shading),
    legendFigure(shading),
  ]);
}
