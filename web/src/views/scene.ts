// Attention over the thing itself: the patches of a picture, the steps of a series, the edges of a graph.
import { attentionOf, chosenHead, chosenOf, type App } from "../app";
import { rowLabels, type Attention, type Matrix, type Scene } from "../data";
import { button, digits, h, s, shown } from "../dom";
import { headOf } from "../maths";
import { headSelect, hint, kindSelect, layerSelect, toolbar } from "../toolbar";

const COLOUR = "#e4572e";
const WIDE = 720, SMALL = 480, GRAPH = 520; // pixels
const MOST_CURVES = 12, MOST_NODES = 400, TICKS = 6;
const CLEAR = 4; // so many times the mean is a weight that is drawn in full

const within = (pixels: number): number => Math.min(pixels, document.documentElement.clientWidth - 32);

interface Weights {
  of(token: number): number; // of the row that is chosen
  shade(token: number): number; // the largest is 1, unless all are about the same
}

function weightsOf(matrix: Matrix, row: number, scene: Scene): Weights {
  const of = (token: number) => matrix.weights[row * matrix.keys + scene.first + token] ?? 0;
  let most = Math.min(1, CLEAR / scene.count);
  for (let i = 0; i < scene.count; ++i) most = Math.max(most, of(i));
  return { of, shade: (token) => of(token) / most };
}

const told = (token: string, weight: number): SVGElement => s("title", {}, `${shown(token)}  ${digits(weight)}`);

interface Drawing {
  width: number;
  height: number;
  parts: SVGElement[];
}
// `looks`: the token of this scene that looks; -1 if it is none of them.
type Draw = (scene: Scene, weights: Weights, labels: string[], choose: (token: number) => void, looks: number) => Drawing;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

// The boxes of all tokens, as strong as their weights, with a rim around the one that looks.
function boxes(scene: Scene, weights: Weights, labels: string[], choose: (token: number) => void, looks: number, box: (token: number) => Box): SVGElement[] {
  const all: SVGElement[] = Array.from({ length: scene.count }, (_, i) =>
    s(
      "rect",
      { ...box(i), fill: COLOUR, "fill-opacity": (0.8 * weights.shade(i)).toFixed(3), "shape-rendering": "crispEdges", onclick: () => choose(i) },
      told(labels[i]!, weights.of(i)),
    ),
  );
  if (looks < 0) return all;
  const { x, y, width, height } = box(looks);
  return [...all, s("path", { d: `M${x} ${y}h${width}v${height}h${-width}z`, class: "looks" })];
}

const drawPicture: Draw = (scene, weights, labels, choose, looks) => {
  const scale = within(SMALL) / Math.max(scene.width, scene.height);
  const width = scene.width * scale, height = scene.height * scale;
  const across = scene.across, down = scene.count / across;
  const patch = (i: number) => ({ x: ((i % across) * width) / across, y: (Math.floor(i / across) * height) / down, width: width / across, height: height / down });
  return {
    width,
    height,
    parts: [
      s("image", { href: scene.image, width, height, preserveAspectRatio: "none", style: "image-rendering:pixelated" }),
      ...boxes(scene, weights, labels, choose, looks, patch),
    ],
  };
};

function curve(numbers: number[], { x, y, width, height }: Box): SVGElement {
  const least = Math.min(...numbers), range = Math.max(...numbers) - least || 1;
  const points = numbers.map((v, i) => `${(x + (width * (i + 0.5)) / numbers.length).toFixed(1)},${(y + height * (1 - (v - least) / range)).toFixed(1)}`);
  return s("polyline", { points: points.join(" "), fill: "none", stroke: "currentColor", "stroke-opacity": 0.7, "pointer-events": "none" });
}

const column = (scene: Scene, c: number): number[] => Array.from({ length: scene.count }, (_, i) => scene.numbers[i * scene.columns + c]!);
const variable = (scene: Scene, i: number): number[] => scene.numbers.slice(i * scene.columns, (i + 1) * scene.columns);

const drawSeries: Draw = (scene, weights, labels, choose, looks) => {
  const width = within(WIDE), step = width / Math.max(1, scene.count), high = 170;
  const few = Math.min(scene.columns, MOST_CURVES), between = Math.max(1, Math.ceil(scene.count / TICKS));
  return {
    width,
    height: high + 20,
    parts: [
      ...boxes(scene, weights, labels, choose, looks, (i) => ({ x: i * step, y: 0, width: step, height: high })),
      ...Array.from({ length: few }, (_, c) => curve(column(scene, c * Math.max(1, Math.floor(scene.columns / few))), { x: 0, y: 6, width, height: high - 12 })),
      ...Array.from({ length: Math.ceil(scene.count / between) }, (_, k) =>
        s("text", { x: (k * between + 0.5) * step, y: high + 14, "text-anchor": k ? "middle" : "start", "font-size": 12, fill: "currentColor" }, labels[k * between]!),
      ),
    ],
  };
};

const drawVariables: Draw = (scene, weights, labels, choose, looks) => {
  const width = within(WIDE), high = 56, left = 40;
  const line = (i: number) => ({ x: left, y: i * high + 2, width: width - left - 2, height: high - 4 });
  return {
    width,
    height: high * scene.count,
    parts: [
      ...boxes(scene, weights, labels, choose, looks, line),
      ...Array.from({ length: scene.count }, (_, i) =>
        s("text", { x: left - 6, y: (i + 0.5) * high, "text-anchor": "end", "dominant-baseline": "central", "font-size": 13, fill: "currentColor" }, labels[i]!),
      ),
      ...Array.from({ length: scene.count }, (_, i) => curve(variable(scene, i), { ...line(i), y: i * high + 7, height: high - 14 })),
    ],
  };
};

// The node that looks, or the one that is seen most, stands in the middle, those that it sees around it, and those that they see
// further out.
const drawGraph: Draw = (scene, weights, labels, choose, looks) => {
  const side = within(GRAPH), middle = side / 2;
  let centre = Math.max(looks, 0);
  if (looks < 0) for (let i = 1; i < scene.count; ++i) if (weights.of(i) > weights.of(centre)) centre = i;
  const seen = [...new Set(scene.edges.filter(([from]) => from === centre).map(([, to]) => to!))];
  const near = new Set([centre, ...seen]);
  const far = [...new Set(scene.edges.filter(([from, to]) => near.has(from!) && !near.has(to!)).map(([, to]) => to!))].slice(0, MOST_NODES);
  const places = new Map<number, [number, number]>([[centre, [middle, middle]]]);
  const ring = (nodes: number[], radius: number) =>
    nodes.forEach((node, i) => {
      const angle = (2 * Math.PI * i) / nodes.length - Math.PI / 2;
      places.set(node, [middle + radius * Math.cos(angle), middle + radius * Math.sin(angle)]);
    });
  ring(seen, side / 4);
  ring(far, side / 2 - 12);
  const line = (from: number, to: number, weight: number | null) => {
    const [x1, y1] = places.get(from)!, [x2, y2] = places.get(to)!;
    if (weight === null) return s("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": 0.15 });
    return s("line", { x1, y1, x2, y2, stroke: COLOUR, "stroke-opacity": 0.25 + 0.75 * weight, "stroke-width": 1 + 9 * weight }, told(labels[to]!, weight));
  };
  const node = (i: number, size: number) => {
    const [cx, cy] = places.get(i)!;
    return s(
      "g",
      { onclick: () => choose(i), class: "node" },
      s("circle", { cx, cy, r: size, fill: "canvas", stroke: near.has(i) ? COLOUR : "currentColor", "stroke-width": 1 + (near.has(i) ? 6 * weights.of(i) : 0) }, told(labels[i]!, near.has(i) ? weights.of(i) : 0)),
      size > 8 && s("text", { x: cx, y: cy, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 10, fill: "currentColor" }, labels[i]!),
    );
  };
  return {
    width: side,
    height: side,
    parts: [
      ...scene.edges.filter(([from, to]) => from !== centre && to !== centre && places.has(from!) && places.has(to!)).map(([from, to]) => line(from!, to!, null)),
      ...seen.map((to) => line(centre, to, weights.of(to))),
      ...far.map((i) => node(i, 5)),
      ...seen.map((i) => node(i, 12)),
      node(centre, 14),
    ],
  };
};

const draws: Record<Scene["kind"], Draw> = { picture: drawPicture, series: drawSeries, variables: drawVariables, graph: drawGraph };

function body(app: App, attention: Attention, kind: "encoder" | "cross", matrix: Matrix): HTMLElement {
  const rows = rowLabels(attention, kind);
  const pictures = h("div", { class: "scenes" });
  const tokens = h("div", { class: "scene-tokens", role: "listbox", "aria-label": app.t("sceneTokens") });
  const show = (row: number) => {
    [...tokens.children].forEach((child, i) => child.setAttribute("aria-selected", String(i === row)));
    pictures.replaceChildren(
      ...attention.scenes.map((scene) => {
        const labels = attention.encoder_tokens.slice(scene.first, scene.first + scene.count);
        // In attention of the source to itself, what is clicked is what looks.
        const choose = (token: number) => kind === "encoder" && take(scene.first + token);
        const looks = kind === "encoder" && row >= scene.first && row < scene.first + scene.count ? row - scene.first : -1;
        const { width, height, parts } = draws[scene.kind](scene, weightsOf(matrix, row, scene), labels, choose, looks);
        return s("svg", { class: "scene", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${app.t("scene")}: ${shown(rows[row]!)}` }, ...parts);
      }),
    );
  };
  const take = (row: number) => {
    app.note({ row }, true);
    show(row);
  };
  tokens.append(
    ...rows.slice(0, 2000).map((token, i) => button(shown(token), () => take(i), { role: "option", onmouseenter: () => show(i), onfocus: () => show(i) })),
  );
  show(Math.min(app.state.row, rows.length - 1));
  return h("div", { class: "scene-body" }, tokens, pictures);
}

export function sceneView(app: App): HTMLElement {
  const attention = attentionOf(app);
  const chosen = attention && chosenOf(app, attention);
  if (!attention || !chosen || attention.scenes.length === 0) return hint(app.t("nothing"));
  const bar = toolbar(kindSelect(app, attention), layerSelect(app, attention, chosen.layers, chosen.at), headSelect(app, attention, chosen.layer));
  if (chosen.kind === "decoder") return h("section", {}, bar, hint(app.t("sceneOfSource")));
  return h("section", {}, bar, hint(app.t("sceneHelp")), body(app, attention, chosen.kind, headOf(chosen.layer, chosenHead(app, attention, chosen.layer))));
}
