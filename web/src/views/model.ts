// Every head of every layer as a small picture, with what can be said of it in three numbers.
import { attentionOf, ORDERS, type App, type HeadAt, type Order } from "../app";
import { heatColour, picture, textOn } from "../colour";
import { kindsOf, layersOf, type Attention, type Kind, type Matrix } from "../data";
import { button, h, select, signed } from "../dom";
import { beside, below, caption, matrixFigure, remark, tableFigure } from "../figure";
import { diagonal, entropy, halved, previous, shadingOf, type Shading } from "../maths";
import { mutualInformation } from "../measures";
import { colourSelect, hint, kindName, toolbar } from "../toolbar";
import { canChange, isOff, turnHead } from "../what_if";
import { onPrint } from "../printing";

const THUMB = 224, SAVED = 112; // pixels: on the page, in a picture of all

type Score = Exclude<Order, "byLayer">;

interface Head {
  kind: Kind;
  at: number; // of its layer among those of the kind
  layer: number;
  head: number | null;
  matrix: Matrix;
  scores: Record<Score, number>; // importance: NaN if it is not known
}

const known = new WeakMap<Attention, Head[]>();

function headsOf(attention: Attention): Head[] {
  let heads = known.get(attention);
  if (heads) return heads;
  heads = kindsOf(attention).flatMap((kind) =>
    layersOf(attention, kind).flatMap((layer, at) =>
      layer.matrices.map((matrix, i) => ({
        kind,
        at,
        layer: layer.layer,
        head: layer.heads[i] ?? null,
        matrix,
        scores: { importance: lossWithout(attention, kind, layer.layer, layer.heads[i] ?? 0), entropy: entropy(matrix), information: mutualInformation(matrix), diagonal: diagonal(matrix), previous: kind === "cross" ? 0 : previous(matrix) },
      })),
    ),
  );
  known.set(attention, heads);
  return heads;
}

const lossWithout = ({ importance }: Attention, kind: Kind, layer: number, head: number): number => importance.find((each) => each.kind === kind && each.layer === layer)?.losses[head] ?? NaN;

export function modelView(app: App): HTMLElement {
  const attention = attentionOf(app);
  if (!attention || attention.layers.length === 0) return hint(app.t("nothing"));
  const ablated = attention.importance.length > 0, orders = ORDERS.filter((order) => ablated || order !== "importance");
  const order = orders.includes(app.state.order) ? app.state.order : "byLayer";
  const grid = h("div", { class: "grids", style: `--heads:${Math.max(...attention.layers.map(({ matrices }) => matrices.length))}` });
  app.offer({
    name: "heads",
    table: () => [
      ["kind", "layer", "head", ...(ablated ? ["importance"] : []), "entropy", "information", "diagonal", "previous"],
      ...headsOf(attention).map(({ kind, layer, head, scores }) => [kind, String(layer), String(head ?? "mean"), ...(ablated ? [scores.importance.toFixed(4)] : []), scores.entropy.toFixed(4), scores.information.toFixed(4), scores.diagonal.toFixed(4), kind === "cross" ? "" : scores.previous.toFixed(4)]),
    ],
    figure: () => wholeFigure(app, attention),
  });
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        observer.unobserve(entry.target);
        waiting.get(entry.target)?.();
      }
  }, { rootMargin: "300px" });
  const waiting = new Map<Element, () => void>();
  const paintAll = () => waiting.forEach((paint) => paint()); // paper has no place to scroll to
  onPrint(app, paintAll);
  app.onLeave(() => observer.disconnect());

  const thumb = (head: Head) => {
    const canvas = h("canvas", { width: THUMB, height: THUMB, "aria-hidden": "true" });
    waiting.set(canvas, () => paint(canvas, head.matrix, shadingOf(app.state.scale, [head.matrix])));
    observer.observe(canvas);
    const name = `${app.t("layer")}\u00a0${head.layer} · ${app.t("head")}\u00a0${head.head ?? app.t("meanOfHeads")}`;
    const score = (key: Score) =>
      h("span", { class: order === key ? "score chosen" : "score", "data-score": key, title: app.t(key) }, `${app.t(key)} `, h("b", {}, signed(head.scores[key], key === "importance" ? 3 : 2)));
    const at: HeadAt = { kind: head.kind, layer: head.layer, head: head.head }, off = isOff(app, at);
    const enlarge = h(
      "button",
      {
        type: "button",
        class: off ? "thumb off" : "thumb",
        "data-kind": head.kind,
        "data-layer": head.layer,
        "data-head": head.head ?? "mean",
        onclick: () => app.set({ view: "heat", kind: head.kind, layer: head.at, head: head.head ?? "mean", cell: null }),
      },
      canvas,
      h("span", { class: "name" }, name),
      ablated && score("importance"),
      score("entropy"),
      score("information"),
      score("diagonal"),
      head.kind !== "cross" && score("previous"),
    );
    if (!canChange(app)) return enlarge;
    const label = app.t(off ? "switchOn" : "switchOff");
    return h("div", { class: "switched" }, enlarge, button(label, () => void turnHead(app, at), { "data-action": "switch", "aria-pressed": off, "aria-label": `${label}: ${kindName(app, attention, head.kind)}${app.t("comma")}${name}`, title: app.t("switchHelp") }));
  };
  for (const kind of kindsOf(attention)) {
    const own = headsOf(attention).filter((head) => head.kind === kind);
    grid.append(h("h2", {}, kindName(app, attention, kind)));
    if (order !== "byLayer") {
      own.sort((a, b) => b.scores[order] - a.scores[order]);
      grid.append(h("div", { class: "thumbs" }, ...own.map(thumb)));
    } else
      for (const layer of new Set(own.map((head) => head.layer)))
        grid.append(h("div", { class: "thumbs" }, ...own.filter((head) => head.layer === layer).map(thumb)));
  }
  const sorter = select(app.t("sort"), orders.map((value) => ({ value, label: app.t(value) })), order, (order) => app.set({ order }), "sort");
  return h("section", {}, toolbar(sorter, colourSelect(app)), hint(app.t("modelHelp")), ablated && importancePicture(app, attention), grid);
}

// Colours up to the greatest loss.
const lossShading = ({ importance }: Attention): Shading => ({ log: false, most: Math.max(0, ...importance.flatMap(({ losses }) => losses)) || 1 });

// A row for each layer, a column for each head; the lighter, the more the model loses without it.
function importancePicture(app: App, attention: Attention): HTMLElement {
  const shading = lossShading(attention);
  const count = Math.max(...attention.importance.map(({ losses }) => losses.length));
  const cell = (loss: number, kind: Kind, layer: number, head: number) => {
    const at = layersOf(attention, kind).findIndex((each) => each.layer === layer), shade = Math.max(0, loss);
    return h(
      "td",
      {},
      h("button", { type: "button", style: `background:${heatColour(shade, shading)};color:${textOn(shade, shading)}`, "aria-label": `${kindName(app, attention, kind)}${app.t("comma")}${app.t("layer")} ${layer}${app.t("comma")}${app.t("head")} ${head}: ${signed(loss, 3)}`, onclick: () => app.set({ view: "heat", kind, layer: at, head, cell: null }) }, signed(loss, 3)),
    );
  };
  return h(
    "figure",
    { class: "card", "data-part": "importance" },
    h("figcaption", {}, h("b", {}, app.t("importanceTitle"))),
    h(
      "div",
      { class: "wide-table", tabindex: 0, role: "group", "aria-label": app.t("importanceTitle") },
      h(
        "table",
        { class: "numbers importance" },
        h("tr", {}, h("td", { class: "corner" }), ...Array.from({ length: count }, (_, head) => h("th", { scope: "col" }, `${app.t("head")} ${head}`))),
        ...attention.importance.map(({ kind, layer, losses }) => h("tr", {}, h("th", { scope: "row" }, `${kindName(app, attention, kind)}${app.t("comma")}${app.t("layer")} ${layer}`), ...losses.map((loss, head) => cell(loss, kind, layer, head)))),
      ),
    ),
    hint(app.t("importanceHelp")),
  );
}

function paint(canvas: HTMLCanvasElement, matrix: Matrix, shading: Shading): void {
  while (Math.max(matrix.queries, matrix.keys) > 2 * THUMB) matrix = halved(matrix);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  context.drawImage(picture(matrix, shading), 0, 0, THUMB, THUMB);
}

// A row for each layer, without labels of tokens.
function wholeFigure(app: App, attention: Attention) {
  const small = (head: Head) => {
    let { matrix } = head;
    while (Math.max(matrix.queries, matrix.keys) > 40) matrix = halved(matrix);
    const drawn = matrixFigure(matrix, Array(matrix.queries).fill("") as string[], Array(matrix.keys).fill("") as string[], shadingOf(app.state.scale, [matrix]));
    const scale = SAVED / Math.max(drawn.width, drawn.height);
    return below([{ width: drawn.width * scale, height: drawn.height * scale, body: `<g transform="scale(${scale})">${drawn.body}</g>` }, remark(`${app.t("layer")} ${head.layer} · ${app.t("head")} ${head.head ?? "x̄"}`)], 4);
  };
  const heads = headsOf(attention), shading = lossShading(attention);
  const losses = attention.importance.map(({ kind, layer, losses }) => [{ text: `${kindName(app, attention, kind)}${app.t("comma")}${app.t("layer")} ${layer}` }, ...losses.map((loss) => ({ text: signed(loss, 3), fill: heatColour(Math.max(0, loss), shading), ink: textOn(Math.max(0, loss), shading) }))]);
  return below([
    ...(losses.length > 0 ? [caption(app.t("importanceTitle")), tableFigure(losses)] : []),
    ...kindsOf(attention).flatMap((kind) => {
      const mine = heads.filter((head) => head.kind === kind);
      return [caption(kindName(app, attention, kind)), ...[...new Set(mine.map(({ layer }) => layer))].map((layer) => beside(mine.filter((head) => head.layer === layer).map(small), 14))];
    }),
  ]);
}
