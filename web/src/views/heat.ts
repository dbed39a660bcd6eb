// One matrix, large.
import { attentionOf, chosenHead, chosenOf, MEASURES, type App, type Chosen, type HeadAt, type Measure } from "../app";
import { arithmetic } from "../arithmetic";
import { columnLabels, rowLabels, type Attention, type Kind, type Layer, type Matrix } from "../data";
import { button, digits, h, select } from "../dom";
import { below, caption, legendFigure, matrixFigure, remark } from "../figure";
import { HeatMap } from "../heat_map";
import { headOf, shadingOf } from "../maths";
import { rollout, shares, weightedNorms } from "../measures";
import { alertBox } from "../refusal";
import { fetchAttention, requestOf } from "../server";
import { colourSelect, headName, headSelect, hint, kindName, kindSelect, layerSelect, missing, toolbar } from "../toolbar";
import { canChange, isOff, move, turnHead } from "../what_if";

export function heatView(app: App): HTMLElement {
  const attention = attentionOf(app);
  const chosen = attention && chosenOf(app, attention);
  if (!attention || !chosen) return hint(app.t("nothing"));
  const { kind, layer } = chosen;
  const head = chosenHead(app, attention, layer);
  const { measure, matrix } = measured(app, attention, chosen, head);
  const rows = measure === "gradients" ? writtenRows(attention, kind) : rowLabels(attention, kind), columns = columnLabels(attention, kind);
  const below = h("div");
  const explain = (q: number, k: number) => {
    app.note({ cell: [q, k] });
    below.replaceChildren(...[explained(app, attention, layer, head, rows, columns, q, k)].flatMap((part) => part ?? []));
  };
  const map = new HeatMap(app, { matrix, rows, columns, cell: app.state.cell, choose: explain });
  const { cell } = app.state;
  if (cell && cell[0] < rows.length && cell[1] < columns.length) explain(...cell);
  app.offer({
    name: "attention",
    table: () => tableOf(matrix, rows, columns),
    figure: () => titled(app, attention, { kind, layer: layer.layer, head, measure, matrix, rows }),
  });
  return h(
    "section",
    {},
    toolbar(kindSelect(app, attention), layerSelect(app, attention, chosen.layers, chosen.at), headSelect(app, attention, layer), measureSelect(app, attention, chosen), colourSelect(app), headSwitch(app, layer, head)),
    app.state.measure === "gradients" && attention.gradients.length === 0 ? fetchGradients(app) : null,
    hint(app.t(measure === "weights" ? `${kind}Help` : `${measure}Help`)),
    layer.heads.length === 0 && hint(app.t("meanNote")),
    map.element,
    below,
  );
}

// What is asked for, as far as the layer has it.
function measured(app: App, attention: Attention, { kind, layer, layers, at }: Chosen, head: number | null): { measure: Measure; matrix: Matrix } {
  const gradients = app.state.measure === "gradients" ? attention.gradients.find((each) => each.kind === kind) : undefined;
  if (gradients) return { measure: "gradients", matrix: shares(gradients.table) };
  const norms = app.state.measure === "norms" ? weightedNorms(layer, head) : null;
  if (norms) return { measure: "norms", matrix: norms };
  if (app.state.measure === "rollout" && kind !== "cross") return { measure: "rollout", matrix: rollout(layers.slice(0, at + 1)) };
  return { measure: "weights", matrix: headOf(layer, head) };
}

// A row is what was written after the token that the decoder had read.
function writtenRows(attention: Attention, kind: Kind): string[] {
  if (kind !== "decoder") return rowLabels(attention, kind);
  const prompt = attention.decoder_tokens.length - attention.decoder_outputs.length;
  return [...attention.decoder_tokens.slice(0, prompt), ...attention.decoder_outputs];
}

function measureSelect(app: App, attention: Attention, { kind, layer }: Chosen): HTMLElement | null {
  const has: Record<Measure, boolean> = {
    weights: true,
    norms: layer.norms.length > 0,
    rollout: kind !== "cross",
    gradients: kind !== "encoder" && (attention.gradients.some((each) => each.kind === kind) || (canChange(app) && attention.decoder_outputs.length > 0)),
  };
  const known = MEASURES.filter((measure) => has[measure]);
  if (known.length < 2) return null;
  return select(app.t("measure"), known.map((value) => ({ value, label: app.t(`${value}Measure`) })), known.includes(app.state.measure) ? app.state.measure : "weights", (measure) => app.set({ measure }), "measure");
}

// The arithmetic of a cell, if the page has the numbers; a server has them.
function explained(app: App, attention: Attention, layer: Layer, head: number | null, rows: string[], columns: string[], q: number, k: number): HTMLElement | null {
  const inputs = attention.inputs.find((each) => each.kind === layer.kind && each.layer === layer.layer);
  const own = head ?? layer.heads[0] ?? 0, { look } = app.state, single = head !== null || layer.heads.length <= 1;
  const later = layer.kind === "decoder" && k > q; // cannot be looked at
  const here = canChange(app) && single && !later && button(app.t("lookHere"), () => void move(app, { kind: layer.kind, layer: layer.layer, head: own, query: q, key: k }), { "data-action": "move", title: app.t("lookHereHelp") });
  // A server sends the matrices of the head that is chosen.
  const enough = inputs && (inputs.matrix_head === own || !canChange(app));
  if (inputs && enough) return h("div", {}, here && h("p", {}, here), single ? arithmetic(app, { attention, layer, head: own, rows, columns, q, k }, inputs) : hint(app.t("chooseHead")));
  if (!app.document.server || !look) return app.document.server ? null : missing(app, "noInputs", (each) => each.inputs.some(({ kind }) => kind === layer.kind));
  const alert = alertBox(app);
  const ask = button(app.t("arithmetic"), () => {
    ask.disabled = true;
    fetchAttention({ ...requestOf(look), numbers: true, matrices: { kind: layer.kind, layer: layer.layer, head: own } }).then((seen) => app.take(seen, "heat", look, [q, k]), (error) => {
      ask.disabled = false;
      alert.show(error);
    });
  }, { "data-action": "arithmetic" });
  return h("div", {}, h("p", { class: "buttons" }, ask, here), alert.element);
}

// Switches the chosen head off, or all of the layer's.
function headSwitch(app: App, layer: Layer, head: number | null): HTMLElement | null {
  if (!canChange(app)) return null;
  const at = { kind: layer.kind, layer: layer.layer, head: layer.heads.length > 1 ? head : null }, off = isOff(app, at);
  return button(app.t(off ? "switchOn" : "switchOff"), () => void turnHead(app, at), { "data-action": "switch", "aria-pressed": off, title: app.t("switchHelp") });
}

// The server has them, if somebody asks.
function fetchGradients(app: App): HTMLElement | null {
  const { look, cell } = app.state;
  if (!look || !canChange(app)) return null;
  const alert = alertBox(app);
  fetchAttention({ ...requestOf(look), gradients: true }).then(
    (seen) => app.state.look === look && app.state.measure === "gradients" && app.take(seen, app.state.view, look, cell ?? undefined),
    (error) => alert.show(error),
  );
  return alert.element;
}

export function tableOf(matrix: Matrix, rows: string[], columns: string[]): string[][] {
  return [["", ...columns], ...rows.map((row, q) => [row, ...columns.map((_, k) => digits(matrix.weights[q * matrix.keys + k]!))])];
}

export interface Titled extends HeadAt {
  measure: Measure;
  matrix: Matrix;
  rows: string[];
}

// A matrix with all that a reader of a paper needs.
export function titled(app: App, attention: Attention, { kind, layer, head, measure, matrix, rows }: Titled) {
  const shading = shadingOf(app.state.scale, [matrix]);
  const place = [kindName(app, attention, kind), `${app.t("layer")} ${layer}`, `${app.t("head")} ${headName(app, head)}`, ...(measure === "weights" ? [] : [app.t(`${measure}Measure`)])].join(app.t("comma"));
  return below([
    caption(`${attention.model}: ${attention.source}${attention.target ? ` → ${attention.target}` : ""}`),
    remark(place),
    matrixFigure(matrix, rows, columnLabels(attention, kind), shading),
    legendFigure(shading),
  ]);
}
