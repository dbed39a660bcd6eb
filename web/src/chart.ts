// A small line chart.
import { scaleLinear } from "d3-scale";
import type { App } from "./app";
import { lineColour } from "./colour";
import { h, pathOf, s } from "./dom";

export interface Curve {
  name: string;
  points: [number, number][];
}

export interface Chart {
  element: HTMLElement;
  mark(updates: number[]): void; // where the page is
}

const WIDTH = 420, HEIGHT = 220, LEFT = 52, BOTTOM = 24, TOP = 10, RIGHT = 10;

export function chart(app: App, curves: Curve[]): Chart {
  const all = curves.flatMap((curve) => curve.points);
  const range = (values: number[]): [number, number] => {
    const low = Math.min(...values), high = Math.max(...values);
    return low < high ? [low, high] : low === 0 ? [0, 1] : [Math.min(0, 2 * low), Math.max(0, 2 * high)];
  };
  const x = scaleLinear(range(all.map((p) => p[0])), [LEFT, WIDTH - RIGHT]);
  const y = scaleLinear(range(all.map((p) => p[1])), [HEIGHT - BOTTOM, TOP]).nice();
  const cursor = s("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  const places = s("g");
  const readout = h("p", { class: "keys-of-lines" });
  const tell = (update: number | null) => {
    readout.replaceChildren(
      ...curves.map((curve, i) => {
        const near = update === null ? curve.points[curve.points.length - 1]! : curve.points.reduce((a, b) => (Math.abs(b[0] - update) < Math.abs(a[0] - update) ? b : a));
        return h("span", {}, h("i", { class: "swatch", style: `background:${lineColour(i)}` }), `${curve.name} `, h("b", {}, short(near[1])), h("small", { class: "whole" }, `${app.t("update")} ${near[0].toLocaleString("en")}`));
      }),
    );
  };
  const drawing = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": curves.map(({ name, points }) => `${name} ${short(points[points.length - 1]![1])}`).join(", ") },
    ...y.ticks(4).flatMap((value) => [
      s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      s("text", { x: LEFT - 6, y: y(value), dy: "0.35em", "text-anchor": "end" }, short(value)),
    ]),
    ...x.ticks(4).map((value) => s("text", { x: x(value), y: HEIGHT - 6, "text-anchor": "middle" }, short(value))),
    cursor,
    places,
    ...curves.flatMap((curve, i) => [
      s("path", { d: pathOf(curve.points.map((p) => [x(p[0]), y(p[1])])), fill: "none", stroke: lineColour(i), "stroke-width": 2 }),
      ...(curve.points.length <= 40 ? curve.points.map((p) => s("circle", { cx: x(p[0]), cy: y(p[1]), r: 2.5, fill: lineColour(i) })) : []),
    ]),
  );
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const update = x.invert(((event.clientX - box.left) / box.width) * WIDTH);
    cursor.setAttribute("visibility", "visible");
    cursor.setAttribute("x1", String(x(update)));
    cursor.setAttribute("x2", String(x(update)));
    tell(update);
  });
  drawing.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    tell(null);
  });
  tell(null);
  const mark = (updates: number[]) =>
    places.replaceChildren(...[...new Set(updates)].map((update) => s("line", { class: "place", style: `stroke:${lineColour(updates.indexOf(update))}`, x1: x(update), x2: x(update), y1: TOP, y2: HEIGHT - BOTTOM })));
  return { element: h("div", {}, drawing as unknown as Node, readout), mark };
}

// Four digits at most.
export function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(4)));
}
