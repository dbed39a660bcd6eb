// Where queries, keys and values come from: a token's vector and the matrices of a head; and the gates of recurrent layers.
import { interpolateRdBu } from "d3-scale-chromatic";
import type { App } from "./app";
import type { Attention, LayerGates, LayerInputs, Matrix } from "./data";
import { h, raised, signed } from "./dom";
import { hint } from "./toolbar";

type Bars = (app: App, title: string, numbers: ArrayLike<number>, places?: number) => HTMLElement;

export const rowOf = ({ keys, weights }: Matrix, row: number): Float32Array => weights.subarray(row * keys, (row + 1) * keys);

// A pixel a number, red below 0 and blue above; pointing tells it.
function numberMap(title: string, matrix: Matrix): HTMLElement {
  const { queries, keys, weights } = matrix;
  const most = weights.reduce((a, x) => Math.max(a, Math.abs(x)), 1e-9);
  const canvas = h("canvas", { width: keys, height: queries, class: "pixels", role: "img", "aria-label": `${title}: ${queries} × ${keys}` });
  const context = canvas.getContext("2d")!;
  for (let i = 0; i < weights.length; ++i) {
    context.fillStyle = interpolateRdBu(0.5 + (0.5 * weights[i]!) / most);
    context.fillRect(i % keys, Math.floor(i / keys), 1, 1);
  }
  const size = `${queries} × ${keys}, ±${signed(most, 2)}`, told = h("small", { "aria-live": "polite" }, size);
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const q = Math.min(queries - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * queries)));
    const k = Math.min(keys - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * keys)));
    told.textContent = `[${q}, ${k}] ${signed(weights[q * keys + k]!, 2)}`;
  });
  canvas.addEventListener("pointerleave", () => (told.textContent = size));
  return h("figure", { class: "vector matrix", "data-matrix": title }, h("figcaption", {}, h("b", {}, ...raised(title)), " ", told), h("div", { class: "pixels-frame", style: `--shape:${keys} / ${Math.max(queries, keys / 4)}` }, canvas));
}

// `query`: the token's numbers in this head, for the check.
export function fromVectors(app: App, inputs: LayerInputs, head: number, q: number, k: number, query: Float32Array, bars: Bars): (HTMLElement | null)[] {
  const additive = inputs.score === "additive", { x, query_weight: w } = inputs;
  if (!x) return [];
  const title = h("h3", {}, app.t("fromVectors"));
  if (inputs.matrix_head !== head) return [title, hint(app.t("otherMatrices").replace("#", `${app.t("head")} ${inputs.matrix_head}`))];
  if (!w) return [title, hint(app.t("noMatrices"))];
  const own = rowOf(x, q), products = rowOf(w, 0).map((a, i) => a * own[i]!);
  const sum = products.reduce((a, b) => a + b, 0);
  return [
    title,
    hint(app.t(additive ? "fromVectorsAdditive" : "fromVectorsHelp")),
    h(
      "div",
      { class: "vectors" },
      bars(app, additive ? "s" : "x", own),
      inputs.kind === "cross" ? null : bars(app, `x (${app.t("column")} ${k})`, rowOf(x, k)),
      numberMap(additive ? "W" : "W^q", w),
      inputs.key_weight && numberMap(additive ? "U" : "W^k", inputs.key_weight),
      inputs.value_weight && numberMap("W^v", inputs.value_weight),
      inputs.out && numberMap("W^O", inputs.out),
    ),
    h("p", { "data-part": "row" }, ...raised(app.t(additive ? "rowTimesState" : "rowTimesX")), ` ${signed(sum, 3)} ${query[0]! >= sum ? "+" : "−"} ${signed(Math.abs(query[0]! - sum), 3)} = `, h("b", {}, signed(query[0]!, 3))),
  ];
}

const NAMES = { rnn: ["h′"], gru: ["r", "z", "n"], lstm: ["i", "f", "g", "o"] };

// Of the steps in which a recurrent decoder wrote a row's token, and a recurrent encoder read a column's.
export function gateSteps(app: App, attention: Attention, q: number, k: number, bars: Bars): (HTMLElement | null)[] {
  const known = attention.gates.filter(({ decoder, gates }) => (decoder ? q : k) < gates.queries);
  if (known.length === 0) return [];
  const stack = (decoder: boolean) => {
    const layers = known.filter((each) => each.decoder === decoder);
    return layers.length === 0 ? [] : [h("h3", {}, app.t(decoder ? "gatesWrite" : "gatesRead")), ...layers.map(step)];
  };
  const step = ({ decoder, layer, backward, cell, gates, before, cell_before }: LayerGates) => {
    const at = decoder ? q : k, width = gates.keys / NAMES[cell].length, row = rowOf(gates, at);
    const way = decoder ? "" : ` ${backward ? "←" : "→"}`, name = `${app.t("layer")} ${layer}${way}`;
    return h(
      "div",
      { class: "vectors", "data-part": "gates", "aria-label": name, role: "group" },
      bars(app, `${app.t("stateBefore")} (${name})`, rowOf(before, at), 1),
      cell_before && bars(app, app.t("cellBefore"), rowOf(cell_before, at), 1),
      ...NAMES[cell].map((name, i) => bars(app, name, row.subarray(i * width, (i + 1) * width), 1)),
    );
  };
  return [...stack(true), ...stack(false), h("p", { class: "formula" }, app.t(`${known[0]!.cell}Formula`)), hint(app.t("gateHelp"))];
}
