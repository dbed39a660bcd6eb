// Every head of every layer as a small picture, with what can be said of it in three numbers.
import { attentionOf, type App, type HeadAt } from "../app";
import { picture } from "../colour";
import { kindsOf, layersOf, type Attention, type Kind, type Matrix } from "../data";
import { button, h, select } from "../dom";
import { beside, below, caption, matrixFigure, remark } from "../figure";
import { diagonal, entropy, halved, previous, shadingOf, type Shading } from "../maths";
import { mutualInformation } from "../measures";
import { colourSelect, hint, toolbar } from "../toolbar";
import { canChange, isOff, turnHead } from "../what_if";

type Order = "byLayer" | "entropy" | "information" | "diagonal" | "previous";
const ORDERS: Order[] = ["byLayer", "entropy", "information", "diagonal", "previous"];
const THUMB = 112; // pixels

interface Head {
  kind: Kind;
  at: number; // of its layer among those of the kind
  layer: number;
  head: number | null;
  matrix: Matrix;
  scores: Record<Exclude<Order, "byLayer">, number>;
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
        scores: { entropy: entropy(matrix), information: mutualInformation(matrix), diagonal: diagonal(matrix), previous: kind === "cross" ? 0 : previous(matrix) },
      })),
    ),
  );
  known.set(attention, heads);
  return heads;
}

let order: Order = "byLayer"; // stays while one looks at a head and comes back

export function modelView(app: App): HTMLElement {
  const attention = attentionOf(app);
  if (!attention || attention.layers.length === 0) return hint(app.t("nothing"));
  const grid = h("div", { class: "grids" });
  app.offer({
    name: "heads",
    table: () => [["kind", "layer", "head", "entropy", "information", "diagonal", "previous"], ...headsOf(attention).map(({ kind, layer, head, scores }) => [kind, String(layer), String(head ?? "mean"), scores.entropy.toFixed(4), scores.information.toFixed(4), scores.diagonal.toFixed(4), kind === "cross" ? "" : scores.previous.toFixed(4)])],
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
  app.onLeave(() => observer.disconnect());

  const thumb = (head: Head) => {
    const canvas = h("canvas", { width: THUMB, height: THUMB, "aria-hidden": "true" });
    waiting.set(canvas, () => paint(canvas, head.matrix, shadingOf(app.state.scale, [head.matrix])));
    observer.observe(canvas);
    const name = `${app.t("layer")} ${head.layer} · ${app.t("head")} ${head.head ?? app.t("meanOfHeads")}`;
    const score = (key: Exclude<Order, "byLayer">) =>
      h("span", { class: order === key ? "score chosen" : "score", "data-score": key, title: app.t(key) }, `${app.t(key)} `, h("b", {}, head.scores[key].toFixed(2)));
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
      score("entropy"),
      score("information"),
      score("diagonal"),
      head.kind !== "cross" && score("previous"),
    );
    if (!canChange(app)) return enlarge;
    const label = app.t(off ? "switchOn" : "switchOff");
    return h("div", { class: "switched" }, enlarge, button(label, () => void turnHead(app, at), { "data-action": "switch", "aria-pressed": off, "aria-label": `${label}: ${app.t(head.kind)}, ${name}`, title: app.t("switchHelp") }));
  };
  const fill = () => {
    waiting.clear();
    const heads = headsOf(attention);
    grid.replaceChildren();
    for (const kind of kindsOf(attention)) {
      const own = heads.filter((head) => head.kind === kind);
      grid.append(h("h2", {}, app.t(kind)));
      if (order !== "byLayer") {
        const key = order;
        own.sort((a, b) => b.scores[key] - a.scores[key]);
        grid.append(h("div", { class: "thumbs" }, ...own.map(thumb)));
      } else
        for (const layer of new Set(own.map((head) => head.layer)))
          grid.append(h("div", { class: "thumbs" }, ...own.filter((head) => head.layer === layer).map(thumb)));
    }
  };
  fill();
  const sorter = select(
    app.t("sort"),
    ORDERS.map((value) => ({ value, label: app.t(value) })),
    order,
    (value) => {
      order = value;
      fill();
    },
    "sort",
  );
  return h("section", {}, toolbar(sorter, colourSelect(app)), hint(app.t("modelHelp")), grid);
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
    const scale = THUMB / Math.max(drawn.width, drawn.height);
    return below([{ width: drawn.width * scale, height: drawn.height * scale, body: `<g transform="scale(${scale})">${drawn.body}</g>` }, remark(`${app.t("layer")} ${head.layer} · ${app.t("head")} ${head.head ?? "x̄"}`)], 4);
  };
  const heads = headsOf(attention);
  return below(
    kindsOf(attention).flatMap((kind) => {
      const mine = heads.filter((head) => head.kind === kind);
      return [caption(app.t(kind)), ...[...new Set(mine.map(({ layer }) => layer))].map((layer) => beside(mine.filter((head) => head.layer === layer).map(small), 14))];
    }),
  );
}
