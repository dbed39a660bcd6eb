// How the model knows the order of its tokens, as a picture and as curves: its own encoding, or the usual sinusoids.
import { interpolateRdBu } from "d3-scale-chromatic";
import type { App } from "../app";
import { lineColour } from "../colour";
import type { Matrix, Positions } from "../data";
import { h, pathOf, s, signed } from "../dom";
import { below, caption } from "../figure";
import { positionalEncoding } from "../maths";
import { hint } from "../toolbar";
import type { TextKey } from "../texts";

const POSITIONS = 50, WIDTH = 128;

function sinusoids(): Positions {
  const weights = Float32Array.from({ length: POSITIONS * WIDTH }, (_, i) => positionalEncoding(Math.floor(i / WIDTH), i % WIDTH, WIDTH));
  return { kind: "sinusoidal", scale: 1, table: { queries: POSITIONS, keys: WIDTH, weights } };
}

// Kinds that tell distances, not places; one column a head.
const BY_DISTANCE = new Set(["alibi", "t5", "shaw"]), BY_HEAD = new Set(["alibi", "t5"]);

const at = ({ keys, weights }: Matrix, row: number, column: number): number => weights[row * keys + column]!;
const colour = (value: number): string => interpolateRdBu(0.5 + 0.5 * value);

// The products of all pairs of rows over the greatest.
function likeness({ queries, keys, weights }: Matrix): Matrix {
  const products = new Float32Array(queries * queries);
  let most = 0;
  for (let a = 0; a < queries; ++a)
    for (let b = 0; b < queries; ++b) {
      let sum = 0;
      for (let c = 0; c < keys; ++c) sum += weights[a * keys + c]! * weights[b * keys + c]!;
      products[a * queries + b] = sum;
      most = Math.max(most, Math.abs(sum));
    }
  return { queries, keys: queries, weights: products.map((x) => x / (most || 1)) };
}

function pixels(matrix: Matrix): HTMLCanvasElement {
  const canvas = h("canvas", { width: matrix.keys, height: matrix.queries, class: "pixels" });
  const context = canvas.getContext("2d")!;
  for (let r = 0; r < matrix.queries; ++r)
    for (let c = 0; c < matrix.keys; ++c) {
      context.fillStyle = colour(at(matrix, r, c));
      context.fillRect(c, r, 1, 1);
    }
  return canvas;
}

function legend(least: string, most: string): HTMLElement {
  return h("span", { class: "legend" }, least, h("i", { style: `background:linear-gradient(90deg, ${[-1, 0, 1].map(colour).join(", ")})` }), most);
}

export function positionsView(app: App): HTMLElement {
  const own = app.document.sentences[0]?.models[app.state.model]?.positions ?? null; // the same for all texts
  const { kind, scale, table } = own ?? sinusoids();
  const rowName = app.t(BY_DISTANCE.has(kind) ? "distance" : "position"), columnName = app.t(BY_HEAD.has(kind) ? "head" : "dimension");
  let dimensions = app.state.dimensions.filter((d) => d < table.keys);
  if (dimensions.length === 0) dimensions = [0];
  let position = Math.min(app.state.position, table.queries - 1);
  const readout = h("output", { class: "readout", "aria-live": "polite" });
  const picture = pixels(table);
  picture.tabIndex = 0;
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-label", app.t("positionMap"));
  const curves = h("div");
  let column = dimensions[0]!;
  const tell = () => {
    const wave = 2 * Math.PI * Math.pow(10000, (2 * Math.floor(column / 2)) / table.keys);
    readout.replaceChildren(
      `${rowName}\u00a0${position}${app.t("comma")}${columnName}\u00a0${column}`,
      h("b", { class: "number" }, signed(scale * at(table, position, column), 4)),
      own ? "" : h("small", {}, `${column % 2 === 0 ? "sin" : "cos"}(${position} / 10000^(${2 * Math.floor(column / 2)}/${WIDTH})),  λ = ${wave.toFixed(1)}`),
    );
    marker.style.left = `${(100 * (column + 0.5)) / table.keys}%`;
    marker.style.top = `${(100 * (position + 0.5)) / table.queries}%`;
    curves.replaceChildren(drawCurves(app, table, columnName, dimensions, position));
  };
  const marker = h("i", { class: "marker" });
  const go = (p: number, i: number) => {
    position = Math.max(0, Math.min(table.queries - 1, p));
    app.note({ position });
    column = Math.max(0, Math.min(table.keys - 1, i));
    tell();
  };
  const cell = (event: MouseEvent): [number, number] => {
    const box = picture.getBoundingClientRect();
    return [Math.floor(((event.clientY - box.top) / box.height) * table.queries), Math.floor(((event.clientX - box.left) / box.width) * table.keys)];
  };
  picture.addEventListener("pointermove", (event) => go(...cell(event)));
  picture.addEventListener("click", (event) => toggle(cell(event)[1]));
  picture.addEventListener("keydown", (event) => {
    const moves: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const move = moves[event.key];
    if (event.key === "Enter") toggle(column);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    go(position + move[0], column + move[1]);
  });
  const toggle = (i: number) => {
    dimensions = dimensions.includes(i) && dimensions.length > 1 ? dimensions.filter((d) => d !== i) : [...dimensions.filter((d) => d !== i), i].slice(-8);
    app.set({ dimensions, position });
  };
  tell();
  const number = (value: number) => signed(scale * value, 2).replace(/\.?0+$/, "");
  app.offer({
    name: "positions",
    table: () => [["", ...Array.from({ length: table.keys }, (_, i) => `${columnName} ${i}`)], ...Array.from({ length: table.queries }, (_, p) => [`${rowName} ${p}`, ...Array.from({ length: table.keys }, (_, i) => (scale * at(table, p, i)).toFixed(4))])],
    figure: () => below([caption(`${app.t("positions")}: ${kind}`), { width: 6 * table.keys, height: 6 * table.queries, body: Array.from(table.weights, (value, i) => `<rect x="${6 * (i % table.keys)}" y="${6 * Math.floor(i / table.keys)}" width="6" height="6" fill="${colour(value)}"/>`).join("") }]),
  });
  const name = own ? (`${kind}Positions` as TextKey) : "positionsHelp";
  return h(
    "section",
    {},
    hint(app.t(name) ?? `${kind}`),
    !own && h("p", { class: "formula" }, "PE(pos, 2i) = sin(pos / 10000^(2i/d)),   PE(pos, 2i+1) = cos(pos / 10000^(2i/d))"),
    h("div", { class: "card" }, h("h3", {}, own ? `${app.document.sentences[0]!.models[app.state.model]!.model}: ${kind}` : app.t("positionMap")), h("div", { class: "pixels-frame", style: `--shape:${table.keys} / ${Math.max(table.queries, table.keys / 3)}` }, picture, marker), h("div", { class: "map-bar" }, readout, legend(number(-1), number(1)))),
    h("div", { class: "cards" },
      h("div", { class: "card wide" }, h("h3", {}, app.t("curves")), curves),
      !BY_DISTANCE.has(kind) && h("div", { class: "card narrow" }, h("h3", {}, app.t("similar")), h("div", { class: "pixels-frame square-frame" }, pixels(likeness(table))), legend("−1", "1")),
    ),
  );
}

function drawCurves(app: App, table: Matrix, columnName: string, dimensions: number[], position: number): Element {
  const width = innerWidth < 640 ? 360 : 720, height = 220, left = 34, bottom = 24, rows = table.queries;
  const x = (p: number) => left + (p / Math.max(1, rows - 1)) * (width - left - 8);
  const y = (value: number) => 8 + ((1 - value) / 2) * (height - bottom - 16);
  const points = Array.from({ length: rows }, (_, p) => p);
  const path = (d: number) => pathOf(points.map((p) => [x(p), y(at(table, p, d))]));
  return h(
    "div",
    {},
    s(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": app.t("curves") },
      ...[-1, 0, 1].flatMap((value) => [
        s("line", { x1: left, x2: width - 8, y1: y(value), y2: y(value), class: "grid" }),
        s("text", { x: left - 6, y: y(value), "text-anchor": "end", dy: "0.35em" }, String(value).replace("-", "−")),
      ]),
      ...points.filter((p) => p % 10 === 0).map((p) => s("text", { x: x(p), y: height - 6, "text-anchor": "middle" }, String(p))),
      s("line", { x1: x(position), x2: x(position), y1: y(1), y2: y(-1), class: "cursor" }),
      ...dimensions.map((d, i) => s("path", { d: path(d), fill: "none", stroke: lineColour(i), "stroke-width": 2 })),
      ...dimensions.map((d, i) => s("circle", { cx: x(position), cy: y(at(table, position, d)), r: 4, fill: lineColour(i) })),
    ),
    h("p", { class: "keys-of-lines" }, ...dimensions.map((d, i) => h("span", {}, h("i", { class: "swatch", style: `background:${lineColour(i)}` }), `${columnName} ${d}`))),
  );
}
