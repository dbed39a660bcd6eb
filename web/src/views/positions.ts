// The sinusoidal positional encoding as a picture and as curves.
import { interpolateRdBu } from "d3-scale-chromatic";
import { line } from "d3-shape";
import type { App } from "../app";
import { lineColour } from "../colour";
import { h, s } from "../dom";
import { positionalEncoding } from "../maths";
import { hint } from "../toolbar";

const POSITIONS = 50, WIDTH = 128;

let dimensions = [0, 1, 20, 40, 80]; // whose curves are drawn
let position = 10;

function encodings(): HTMLCanvasElement {
  return pixels(WIDTH, POSITIONS, (p, i) => positionalEncoding(p, i, WIDTH));
}

// The products of all pairs of positions over their greatest, WIDTH / 2.
function likeness(): HTMLCanvasElement {
  const rows = Array.from({ length: POSITIONS }, (_, p) => Array.from({ length: WIDTH }, (_, i) => positionalEncoding(p, i, WIDTH)));
  return pixels(POSITIONS, POSITIONS, (a, b) => rows[a]!.reduce((sum, x, i) => sum + x * rows[b]![i]!, 0) / (WIDTH / 2));
}

// A pixel a number from -1 to 1.
function pixels(columns: number, rows: number, value: (row: number, column: number) => number): HTMLCanvasElement {
  const canvas = h("canvas", { width: columns, height: rows, class: "pixels" });
  const context = canvas.getContext("2d")!;
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < columns; ++c) {
      context.fillStyle = interpolateRdBu(0.5 - 0.5 * value(r, c));
      context.fillRect(c, r, 1, 1);
    }
  return canvas;
}

export function positionsView(app: App): HTMLElement {
  const readout = h("output", { class: "readout", "aria-live": "polite" });
  const picture = encodings();
  picture.tabIndex = 0;
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-label", app.t("positionMap"));
  const curves = h("div");
  let at = dimensions[0]!;
  const tell = () => {
    const x = positionalEncoding(position, at, WIDTH), wave = 2 * Math.PI * Math.pow(10000, (2 * Math.floor(at / 2)) / WIDTH);
    readout.replaceChildren(
      `${app.t("position")} ${position}, ${app.t("dimension")} ${at}`,
      h("b", { class: "number" }, x.toFixed(4)),
      h("small", {}, `${at % 2 === 0 ? "sin" : "cos"}(${position} / 10000^(${2 * Math.floor(at / 2)}/${WIDTH})),  λ = ${wave.toFixed(1)}`),
    );
    marker.style.left = `${(100 * (at + 0.5)) / WIDTH}%`;
    marker.style.top = `${(100 * (position + 0.5)) / POSITIONS}%`;
    curves.replaceChildren(drawCurves(app));
  };
  const marker = h("i", { class: "marker" });
  const go = (p: number, i: number) => {
    position = Math.max(0, Math.min(POSITIONS - 1, p));
    at = Math.max(0, Math.min(WIDTH - 1, i));
    tell();
  };
  const cell = (event: MouseEvent): [number, number] => {
    const box = picture.getBoundingClientRect();
    return [Math.floor(((event.clientY - box.top) / box.height) * POSITIONS), Math.floor(((event.clientX - box.left) / box.width) * WIDTH)];
  };
  picture.addEventListener("pointermove", (event) => go(...cell(event)));
  picture.addEventListener("click", (event) => toggle(cell(event)[1]));
  picture.addEventListener("keydown", (event) => {
    const moves: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const move = moves[event.key];
    if (event.key === "Enter") toggle(at);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    go(position + move[0], at + move[1]);
  });
  const toggle = (i: number) => {
    dimensions = dimensions.includes(i) ? dimensions.filter((d) => d !== i) : [...dimensions, i].slice(-8);
    tell();
  };
  tell();
  return h(
    "section",
    {},
    hint(app.t("positionsHelp")),
    h("p", { class: "formula" }, "PE(pos, 2i) = sin(pos / 10000^(2i/d)),   PE(pos, 2i+1) = cos(pos / 10000^(2i/d))"),
    h("div", { class: "card" }, h("h3", {}, app.t("positionMap")), h("div", { class: "pixels-frame" }, picture, marker), h("div", { class: "map-bar" }, readout, h("span", { class: "legend" }, "−1", h("i", { style: `background:linear-gradient(90deg, ${interpolateRdBu(1)}, ${interpolateRdBu(0.5)}, ${interpolateRdBu(0)})` }), "1"))),
    h("div", { class: "cards" },
      h("div", { class: "card wide" }, h("h3", {}, app.t("curves")), curves),
      h("div", { class: "card narrow" }, h("h3", {}, app.t("similar")), h("div", { class: "pixels-frame square-frame" }, likeness())),
    ),
  );
}

function drawCurves(app: App): Element {
  const width = 720, height = 220, left = 34, bottom = 24;
  const x = (p: number) => left + (p / (POSITIONS - 1)) * (width - left - 8);
  const y = (value: number) => 8 + ((1 - value) / 2) * (height - bottom - 16);
  const points = Array.from({ length: 4 * (POSITIONS - 1) + 1 }, (_, i) => i / 4);
  const path = (d: number) => line<number>((p) => x(p), (p) => y(positionalEncoding(p, d, WIDTH)))(points) ?? "";
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
      ...[0, 10, 20, 30, 40, 49].map((p) => s("text", { x: x(p), y: height - 6, "text-anchor": "middle" }, String(p))),
      s("line", { x1: x(position), x2: x(position), y1: y(1), y2: y(-1), class: "cursor" }),
      ...dimensions.map((d, i) => s("path", { d: path(d), fill: "none", stroke: lineColour(i), "stroke-width": 2 })),
      ...dimensions.map((d, i) => s("circle", { cx: x(position), cy: y(positionalEncoding(position, d, WIDTH)), r: 4, fill: lineColour(i) })),
    ),
    h("p", { class: "keys-of-lines" }, ...dimensions.map((d, i) => h("span", {}, h("i", { class: "swatch", style: `background:${lineColour(i)}` }), `${app.t("dimension")} ${d}`))),
  );
}
