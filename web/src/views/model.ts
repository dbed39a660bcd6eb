// Every head of every layer as a small picture, with what can be said of it in three numbers.
import { attentionOf, type App } from "../app";
import { picture } from "../colour";
import { kindsOf, layersOf, type Attention, type Kind, type Matrix } from "../data";
import { h, select } from "../dom";
import { diagonal, entropy, halved, previous } from "../maths";
import { colourSelect, hint, toolbar } from "../toolbar";

type Order = "byLayer" | "entropy" | "diagonal" | "previous";
const ORDERS: Order[] = ["byLayer", "entropy", "diagonal", "previous"];
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
        scores: { entropy: entropy(matrix), diagonal: diagonal(matrix), previous: kind === "cross" ? 0 : previous(matrix) },
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
    waiting.set(canvas, () => paint(canvas, head.matrix, app.state.log));
    observer.observe(canvas);
    const name = `${app.t("layer")} ${head.layer} · ${app.t("head")} ${head.head ?? app.t("meanOfHeads")}`;
    const score = (key: Exclude<Order, "byLayer">) =>
      h("span", { class: order === key ? "score chosen" : "score", "data-score": key, title: app.t(key) }, `${app.t(key)} `, h("b", {}, head.scores[key].toFixed(2)));
    return h(
      "button",
      {
        type: "button",
        class: "thumb",
        "data-kind": head.kind,
        "data-layer": head.layer,
        "data-head": head.head ?? "mean",
        onclick: () => app.set({ view: "heat", kind: head.kind, layer: head.at, head: head.head }),
      },
      canvas,
      h("span", { class: "name" }, name),
      score("entropy"),
      score("diagonal"),
      head.kind !== "cross" && score("previous"),
    );
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

function paint(canvas: HTMLCanvasElement, matrix: Matrix, log: boolean): void {
  while (Math.max(matrix.queries, matrix.keys) > 2 * THUMB) matrix = halved(matrix);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  context.drawImage(picture(matrix, log), 0, 0, THUMB, THUMB);
}
