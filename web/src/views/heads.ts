// Lines between the tokens that look and those that are looked at; heads by colours, weights by thickness. The
// canvas is as large as what can be seen, so that long sentences cost no more than short ones.
import { attentionOf, chosenHead, chosenOf, type App } from "../app";
import { lineColour } from "../colour";
import { columnLabels, rowLabels, type Layer } from "../data";
import { button, digits, h, sharpen, shown } from "../dom";
import { below, caption, linesFigure, svgFile } from "../figure";
import { onPrint } from "../printing";
import { hint, kindName, kindSelect, layerSelect, toolbar } from "../toolbar";

const LINE = 24; // pixels a token
const MOST_LINES = 6000; // that are drawn at once

interface Focus {
  side: "row" | "column";
  index: number;
}

interface Line {
  q: number;
  k: number;
  head: number; // place among the layer's
  weight: number;
}

export function headsView(app: App): HTMLElement {
  const attention = attentionOf(app);
  const chosen = attention && chosenOf(app, attention);
  if (!attention || !chosen) return hint(app.t("nothing"));
  const { layer } = chosen;
  const rows = rowLabels(attention, chosen.kind), columns = columnLabels(attention, chosen.kind);
  const one = typeof app.state.head === "number" ? chosenHead(app, attention, layer) : null; // all heads, if none is named
  const { lit } = app.state;
  const on = layer.matrices.map((_, i) => (lit ? lit.includes(i) : one === null || layer.heads[i] === one));
  let least = app.state.least ?? (layer.matrices.length * rows.length > 2000 ? 0.1 : 0.02);
  let focus: Focus | null = null;

  const canvas = h("canvas", { "aria-hidden": "true" });
  const readout = h("output", { class: "readout", "aria-live": "polite" }, app.t("pointToken"));
  const tokens = (labels: string[], side: Focus["side"]) =>
    h(
      "ol",
      { class: `tokens ${side}`, "data-side": side },
      ...labels.map((label, i) =>
        h("li", { tabindex: i === 0 ? 0 : -1, "data-index": i, style: `height:${LINE}px` }, h("bdi", {}, shown(label))),
      ),
    );
  const left = tokens(rows, "row"), right = tokens(columns, "column");
  const scroller = h("div", { class: "lines" }, left, h("div", { class: "lines-canvas" }, canvas), right);

  const draw = () => paint(canvas, scroller, layer, on, least, focus, [left, right]);
  const focusOn = (next: Focus | null) => {
    focus = next;
    if (next) tell(next);
    draw();
  };
  const tell = ({ side, index }: Focus) => {
    const strongest = linesOf(layer, on, 0, { side, index }).sort((a, b) => b.weight - a.weight).slice(0, 3);
    const labels = side === "row" ? columns : rows;
    readout.replaceChildren(
      h("bdi", {}, shown((side === "row" ? rows : columns)[index]!)),
      side === "row" ? " → " : " ← ",
      ...strongest.flatMap((line, i) => [
        i > 0 ? ", " : "",
        h("i", { class: "swatch", style: `background:${lineColour(line.head)}` }),
        h("bdi", {}, shown(labels[side === "row" ? line.k : line.q]!)),
        h("b", { class: "number" }, digits(line.weight)),
      ]),
    );
  };
  for (const list of [left, right]) {
    const side = list.dataset.side as Focus["side"];
    const index = (event: Event) => {
      const item = (event.target as Element).closest("li");
      return item ? Number(item.dataset.index) : null;
    };
    const show = (event: Event) => {
      const at = index(event);
      if (at !== null) focusOn({ side, index: at });
    };
    list.addEventListener("pointerover", show);
    list.addEventListener("focusin", show);
    list.addEventListener("pointerleave", () => focusOn(null));
    list.addEventListener("keydown", (event) => {
      const at = index(event);
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (at === null || step === 0) return;
      event.preventDefault();
      event.stopPropagation();
      (list.children[at + step] as HTMLElement | undefined)?.focus();
    });
  }
  scroller.addEventListener("scroll", () => requestAnimationFrame(draw));
  const observer = new ResizeObserver(draw);
  observer.observe(scroller);
  app.onLeave(() => observer.disconnect());

  const squares = layer.matrices.map((_, i) =>
    h("button", {
      type: "button",
      class: "square",
      style: `--colour:${lineColour(i)}`,
      "aria-pressed": on[i],
      "aria-label": `${app.t("head")} ${layer.heads[i] ?? app.t("meanOfHeads")}`,
      title: `${app.t("head")} ${layer.heads[i] ?? app.t("meanOfHeads")}`,
      onclick: () => turn((place) => (place === i ? !on[i] : on[place]!)),
      ondblclick: () => turn((place) => place === i),
    }, String(layer.heads[i] ?? "x̄")),
  );
  const turn = (wanted: (place: number) => boolean) => {
    const next = on.map((_, place) => wanted(place));
    next.forEach((value, place) => {
      on[place] = value;
      squares[place]!.setAttribute("aria-pressed", String(value));
    });
    app.note({ lit: on.flatMap((value, place) => (value ? [place] : [])) }, true);
    draw();
  };
  const leastValue = h("output", {}, least.toFixed(2));
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 0.5,
    step: 0.01,
    value: least,
    "data-name": "least",
    onchange: () => app.note({ least }, true),
    oninput: () => {
      least = Number(slider.value);
      leastValue.textContent = least.toFixed(2);
      draw();
    },
  });
  const figure = () =>
    below([
      caption(`${attention.model}: ${kindName(app, attention, chosen.kind)}${app.t("comma")}${app.t("layer")} ${layer.layer}`),
      linesFigure(rows, columns, linesOf(layer, on, least, focus).sort((a, b) => b.weight - a.weight).slice(0, MOST_LINES).map(({ q, k, head, weight }) => ({ from: q, to: k, colour: head, weight }))),
    ]);
  const paper = h("div", { class: "paper" });
  onPrint(app, () => (paper.innerHTML = svgFile(figure())), () => paper.replaceChildren());
  app.offer({
    name: "heads",
    table: () => [["from", "to", "head", "weight"], ...linesOf(layer, on, least, focus).map(({ q, k, head, weight }) => [shown(rows[q]!), shown(columns[k]!), String(layer.heads[head] ?? "mean"), digits(weight)])],
    figure,
  });
  return h(
    "section",
    {},
    toolbar(
      kindSelect(app, attention),
      layerSelect(app, attention, chosen.layers, chosen.at),
      h("span", { class: "squares" }, ...squares, button(app.t("all"), () => turn(() => true)), button(app.t("none"), () => turn(() => false))),
      h("label", {}, h("span", {}, app.t("least")), slider, leastValue),
    ),
    hint(app.t("headsHelp")),
    h("div", { class: "map-bar" }, readout),
    paper,
    scroller,
  );
}

function linesOf(layer: Layer, on: boolean[], least: number, focus: Focus | null, visible?: (q: number, k: number) => boolean): Line[] {
  const lines: Line[] = [];
  layer.matrices.forEach(({ queries, keys, weights }, head) => {
    if (!on[head]) return;
    const [q0, q1] = focus?.side === "row" ? [focus.index, focus.index + 1] : [0, queries];
    const [k0, k1] = focus?.side === "column" ? [focus.index, focus.index + 1] : [0, keys];
    for (let q = q0; q < q1; ++q)
      for (let k = k0; k < k1; ++k) {
        const weight = weights[q * keys + k]!;
        if (weight > least && (!visible || visible(q, k))) lines.push({ q, k, head, weight });
      }
  });
  return lines;
}

function paint(
  canvas: HTMLCanvasElement,
  scroller: HTMLElement,
  layer: Layer,
  on: boolean[],
  least: number,
  focus: Focus | null,
  lists: HTMLElement[],
): void {
  const width = canvas.parentElement!.clientWidth, height = scroller.clientHeight, from = scroller.scrollTop;
  if (width === 0) return;
  const context = sharpen(canvas, width, height);
  const y = (i: number) => (i + 0.5) * LINE - from;
  const seen = (i: number) => y(i) > -LINE && y(i) < height + LINE;
  let lines = linesOf(layer, on, focus ? 0.001 : least, focus, (q, k) => seen(q) || seen(k));
  if (lines.length > MOST_LINES) lines = lines.sort((a, b) => b.weight - a.weight).slice(0, MOST_LINES);
  const sums: Float32Array[] = [new Float32Array(lists[0]!.children.length), new Float32Array(lists[1]!.children.length)];
  const heads = on.filter(Boolean).length || 1;
  for (const { q, k, head, weight } of lines) {
    sums[0]![q]! += weight / heads;
    sums[1]![k]! += weight / heads;
    context.strokeStyle = lineColour(head);
    context.globalAlpha = Math.min(1, (focus ? 0.25 : 0.08) + 0.8 * weight);
    context.lineWidth = 0.6 + 4.4 * weight;
    context.beginPath();
    context.moveTo(0, y(q));
    context.bezierCurveTo(width / 2, y(q), width / 2, y(k), width, y(k));
    context.stroke();
  }
  lists.forEach((list, side) => {
    for (let i = Math.max(0, Math.floor(from / LINE) - 1); i < Math.min(list.children.length, (from + height) / LINE + 1); ++i) {
      const item = list.children[i] as HTMLElement;
      const own = focus && (focus.side === "row") === (side === 0) && focus.index === i;
      item.style.setProperty("--share", focus && !own ? sums[side]![i]!.toFixed(3) : "0");
      item.classList.toggle("own", Boolean(own));
    }
  });
}
