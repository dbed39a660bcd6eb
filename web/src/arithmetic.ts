// How a weight came about: query and key, their products, the score, softmax over the row, the values that are mixed.
import type { App } from "./app";
import { heatColour, textOn } from "./colour";
import type { Attention, Layer, LayerInputs, Matrix } from "./data";
import { digits, h, s, shown, signed } from "./dom";
import { fromVectors, gateSteps } from "./matrices";
import { hint, kindName } from "./toolbar";

export interface Cell {
  attention: Attention;
  layer: Layer;
  head: number;
  rows: string[];
  columns: string[];
  q: number;
  k: number;
}

const part = ({ keys, weights }: Matrix, row: number, head: number, heads: number): Float32Array => {
  const width = keys / heads;
  return weights.subarray(row * keys + head * width, row * keys + (head + 1) * width);
};

export interface Score {
  terms: Float32Array; // whose sum it is
  sum: number;
  scale: number;
  score: number;
}

// Of a query and a key of one head; null: this kind of score cannot be told in this form.
export function scoreOf(inputs: LayerInputs, head: number, q: number, k: number): Score | null {
  const query = part(inputs.queries, q, head, inputs.heads), key = part(inputs.keys, k, head, inputs.heads);
  const additive = inputs.score === "additive";
  if (!additive && inputs.score !== "dot" && inputs.score !== "scaled_dot") return null;
  const terms = query.map((x, i) => (additive ? inputs.v[i]! * Math.tanh(x + key[i]!) : x * key[i]!));
  const sum = terms.reduce((a, b) => a + b, 0), scale = inputs.score === "scaled_dot" ? Math.sqrt(query.length) : 1;
  return { terms, sum, scale, score: sum / scale };
}

// A bar for each number, up if it is positive.
function bars(app: App, title: string, numbers: ArrayLike<number>, places = 3): HTMLElement {
  const all = Array.from(numbers), most = Math.max(1e-9, ...all.map(Math.abs)), step = 260 / Math.max(all.length, 1);
  return h(
    "figure",
    { class: "vector" },
    h("figcaption", {}, h("b", {}, title), ` ${all.length} ${app.t("numbersWord")}, ±${signed(most, 2)}`),
    s(
      "svg",
      { viewBox: "0 0 260 60", preserveAspectRatio: "none", role: "img", "aria-label": `${title}: ${all.slice(0, 8).map((x) => signed(x, 2)).join(", ")}${all.length > 8 ? ", …" : ""}` },
      s("line", { x1: 0, x2: 260, y1: 30, y2: 30, class: "zero" }),
      ...all.map((x, i) => {
        const height = (28 * Math.abs(x)) / most;
        return s("rect", { x: i * step + 0.1 * step, width: 0.8 * step, y: x >= 0 ? 30 - height : 30, height, class: x >= 0 ? "plus" : "minus" }, s("title", {}, `${i}: ${signed(x, places)}`));
      }),
    ),
  );
}

export function arithmetic(app: App, cell: Cell, inputs: LayerInputs): HTMLElement {
  const { attention, layer, head, rows, columns, q, k } = cell;
  const matrix = layer.matrices[layer.heads.indexOf(head)]!;
  const weights = matrix.weights.subarray(q * matrix.keys, (q + 1) * matrix.keys);
  const own = scoreOf(inputs, head, q, k), additive = inputs.score === "additive";
  const at = layer.heads.length > 1 ? head : 0;
  const query = part(inputs.queries, q, at, inputs.heads), key = part(inputs.keys, k, at, inputs.heads), value = part(inputs.values, k, at, inputs.heads);
  const mixed = value.map((_, i) => weights.reduce((sum, weight, j) => sum + weight * part(inputs.values, j, at, inputs.heads)[i]!, 0));
  const scores = Array.from(weights, (weight, j) => (weight === 0 ? -Infinity : (scoreOf(inputs, at, q, j)?.score ?? NaN)));
  const most = Math.max(...scores), powers = scores.map((score) => Math.exp(score - most)), sum = powers.reduce((a, b) => a + b, 0);
  const off = Math.max(...powers.map((power, j) => Math.abs(power / sum - weights[j]!)));
  const names: [string, string] = additive ? ["W s", "U h"] : ["q", "k"];
  const line = (label: string, values: string[], colours?: (j: number) => string) =>
    h("tr", {}, h("th", { scope: "row" }, label), ...values.map((text, j) => h("td", { class: j === k ? "own" : "", style: colours?.(j) ?? "" }, text)));
  return h(
    "section",
    { class: "card arithmetic", "data-part": "arithmetic", "aria-label": app.t("arithmetic") },
    h("h2", {}, app.t("arithmetic"), ": ", h("bdi", {}, shown(rows[q]!)), " → ", h("bdi", {}, shown(columns[k]!)), " ", h("b", { class: "number" }, digits(weights[k]!))),
    hint(`${attention.model}${app.t("comma")}${kindName(app, attention, layer.kind)}${app.t("comma")}${app.t("layer")} ${layer.layer}${app.t("comma")}${app.t("head")} ${head}`),
    ...fromVectors(app, inputs, at, q, k, query, bars),
    h("h3", {}, app.t("arithmeticScore")),
    h("p", { class: "formula" }, additive ? "s = vᵀ tanh(W s + U h)" : own && own.scale !== 1 ? `s = q · k / √d,   √${query.length} = ${signed(own.scale, 3)}` : "s = q · k"),
    h("div", { class: "vectors" }, bars(app, `${names[0]} (${shown(rows[q]!)})`, query), bars(app, `${names[1]} (${shown(columns[k]!)})`, key), own && bars(app, additive ? "v · tanh(W s + U h)" : "q × k", own.terms)),
    own && h("p", { "data-part": "score" }, weights[k] === 0 ? `${app.t("masked")}: s = −∞` : own.scale !== 1 ? `Σ = ${signed(own.sum, 3)},   ${signed(own.sum, 3)} / ${signed(own.scale, 3)} = ` : "Σ = ", weights[k] === 0 ? "" : h("b", {}, signed(own.score, 3))),
    h("h3", {}, app.t("arithmeticSoftmax")),
    h(
      "div",
      { class: "wide-table", tabindex: 0, role: "group", "aria-label": app.t("arithmeticSoftmax") },
      h(
        "table",
        { class: "numbers", style: `--columns:${columns.length}` },
        h("tr", {}, h("td", { class: "corner" }), ...columns.map((token) => h("th", { scope: "col" }, h("bdi", {}, shown(token))))),
        own && line("s", scores.map((score) => (score === -Infinity ? "−∞" : signed(score, 2)))),
        own && line("exp(s − max)", powers.map((power) => signed(power, 3))),
        own && line(`÷ Σ = ${signed(sum, 3)}`, powers.map((power) => signed(power / sum, 3))),
        line(app.t("weight"), Array.from(weights, (weight) => signed(weight, 3)), (j) => `background:${heatColour(weights[j]!)};color:${textOn(weights[j]!)}`),
      ),
    ),
    own && off > 0.005 && hint(app.t("arithmeticOff")),
    h("h3", {}, app.t("arithmeticMix")),
    h("div", { class: "vectors" }, bars(app, `${additive ? "h" : "v"} (${shown(columns[k]!)})`, value), bars(app, `${digits(weights[k]!)} × ${additive ? "h" : "v"}`, value.map((x) => x * weights[k]!)), bars(app, app.t("mixture"), mixed)),
    ...(layer.kind === "cross" ? gateSteps(app, attention, q, k, bars) : []),
  );
}
