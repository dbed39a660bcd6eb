// Five steps from one vector to attention that training makes. Where the page has models, they play the parts.
import { sentenceOf, type App, type State } from "../app";
import { heatColour, lineColour } from "../colour";
import { alignedHead, alignedLayer } from "../aligned";
import { columnLabels, layersOf, rowLabels, type Attention, type Matrix } from "../data";
import { button, h, s, shown, signed } from "../dom";
import { HeatMap } from "../heat_map";
import { headOf, positionalEncoding, previous, softmax } from "../maths";
import { player } from "../player";
import { hint, toolbar } from "../toolbar";
import { picture } from "../colour";

const STEPS = 5;
type Scene = (app: App) => HTMLElement;

export function storyView(app: App): HTMLElement {
  const scenes: Scene[] = [forgets, looks, divides, order, makes];
  const at = Math.max(0, Math.min(STEPS - 1, app.state.step - 1));
  const go = (to: number) => app.set({ step: to + 1, scene: null });
  const title = app.t(`story${at + 1}` as "story1"), words = app.t(`story${at + 1}Text` as "story1Text");
  app.offer({ name: "story", table: () => [[title], [words]] });
  return h(
    "section",
    { class: "story" },
    h("ol", { class: "story-steps" }, ...scenes.map((_, i) => h("li", {}, button(`${i + 1}. ${app.t(`story${i + 1}` as "story1")}`, () => go(i), { "aria-current": i === at ? "step" : null, "data-name": `story-${i}` })))),
    h("h2", {}, `${at + 1}. ${title}`),
    h("p", { class: "told" }, words),
    h("div", { class: "card" }, scenes[at]!(app)),
    toolbar(button(`← ${app.t("back")}`, () => go(at - 1), at === 0 ? { disabled: true } : {}), button(`${app.t("next")} →`, () => go(at + 1), at === STEPS - 1 ? { disabled: true } : { class: "primary" }), tryIt(app, at)),
  );
}

// Where the page has more of it.
function tryIt(app: App, at: number): HTMLElement | null {
  const places: (Partial<State> | null)[] = [null, { view: "steps", step: 1 }, { view: "model" }, { view: "positions" }, { view: "training", at: null }];
  const place = places[at];
  return place ? button(app.t("tryIt"), () => app.set(place)) : null;
}

// Attention that aligns, of the page's first model that has it, an RNN before others.
function aligning(app: App, type: "rnn" | "transformer"): Attention | null {
  const models = [...(sentenceOf(app)?.models ?? []), ...app.document.sentences.flatMap(({ models }) => models)].filter((model) => layersOf(model, "cross").length > 0);
  return models.find((model) => (model.type === "rnn") === (type === "rnn")) ?? models[0] ?? null;
}

// Plays a step; where it stands is kept in the address.
function played(app: App, first: number, last: number, seconds: number, label: (at: number) => string, show: (at: number) => void): HTMLElement {
  const noted = (at: number) => {
    app.note({ scene: at === first ? null : at });
    show(at);
  };
  return toolbar(player(app, first, last, app.state.scene ?? first, seconds, label, noted).element);
}

// ---- 1. However long the sentence, the vector has the same numbers.
function forgets(app: App): HTMLElement {
  const NUMBERS = 8, place = h("div");
  const draw = (words: number) => {
    const x = (i: number) => 20 + (i + 0.5) * (600 / Math.max(words, 1));
    place.replaceChildren(
      s(
        "svg",
        { viewBox: "0 -14 640 270", class: "diagram", role: "img", "aria-label": app.t("story1") },
        ...Array.from({ length: words }, (_, i) => s("path", { d: `M${x(i)} 52 C ${x(i)} 90, 320 80, 320 104`, fill: "none", stroke: lineColour(0), "stroke-width": 2, opacity: 0.25 + 0.75 / words })),
        ...Array.from({ length: words }, (_, i) => s("rect", { x: x(i) - Math.min(22, 260 / words), y: 20, width: 2 * Math.min(22, 260 / words), height: 32, rx: 5, class: "box" })),
        ...Array.from({ length: NUMBERS }, (_, i) => s("rect", { x: 320 - NUMBERS * 11 + 22 * i, y: 104, width: 20, height: 24, stroke: "#8888", fill: heatColour((i * 5) % 8 / 8) })),
        ...Array.from({ length: words }, (_, i) => s("path", { d: `M320 128 C 320 150, ${x(i)} 140, ${x(i)} 178`, fill: "none", stroke: lineColour(1), "stroke-width": 2, opacity: 0.25 + 0.75 / words })),
        ...Array.from({ length: words }, (_, i) => s("rect", { x: x(i) - Math.min(22, 260 / words), y: 178, width: 2 * Math.min(22, 260 / words), height: 32, rx: 5, class: "box" })),
        s("text", { x: 20, y: 8 }, app.t("wordsRead")),
        s("text", { x: 328 + NUMBERS * 11, y: 121 }, app.t("oneVector")),
        s("text", { x: 20, y: 236 }, app.t("wordsWritten")),
      ),
      h("p", {}, app.t("numbersPerWord").replace("#", (NUMBERS / words).toFixed(1))),
    );
  };
  const lengths = [4, 8, 16, 32];
  const play = played(app, 0, lengths.length - 1, 1.2, (at) => `${lengths[at]} ${app.t("wordsLong")}`, (at) => draw(lengths[at]!));
  return h("div", {}, play, place);
}

// ---- 2. One row of the map at a time.
function looks(app: App): HTMLElement {
  const attention = aligning(app, "rnn");
  if (!attention) return hint(app.t("storyNoModel"));
  const layer = layersOf(attention, "cross")[alignedLayer(attention, "cross")]!, matrix = headOf(layer, alignedHead(attention, layer));
  const rows = rowLabels(attention, "cross"), columns = columnLabels(attention, "cross");
  const reads = h("p", { class: "chips large" }), writes = h("p", { class: "chips large" });
  const draw = (at: number) => {
    const row = matrix.weights.subarray((at - 1) * matrix.keys, at * matrix.keys), most = Math.max(...row);
    reads.replaceChildren(...columns.map((token, k) => h("span", { class: "chip", style: `--share:${row[k]! / most}` }, h("bdi", {}, shown(token)), h("small", {}, row[k]! >= 0.05 ? `${Math.round(100 * row[k]!)}%` : " "))));
    writes.replaceChildren(...rows.slice(0, at).map((token, q) => h("span", { class: q === at - 1 ? "chip now" : "chip" }, h("bdi", {}, shown(token)))));
  };
  const play = played(app, 1, rows.length, 0.9, (at) => `${app.t("step")} ${at} / ${rows.length}`, draw);
  return h("div", {}, h("p", { class: "hint" }, `${attention.model} (${attention.type})`), play, h("h3", {}, app.t("reads")), reads, h("h3", {}, app.t("writes")), writes);
}

// ---- 3. The heads that do something clear.
function divides(app: App): HTMLElement {
  const attention = aligning(app, "transformer");
  const heads = (attention?.layers ?? []).flatMap((layer) => layer.matrices.map((matrix, i) => ({ layer, matrix, head: layer.heads[i] ?? null })));
  if (heads.length < 2 || !attention) return hint(app.t("storyNoModel"));
  const aligns = layersOf(attention, "cross")[alignedLayer(attention, "cross")];
  const best = (score: (matrix: Matrix) => number, kinds: string[]) => heads.filter(({ layer }) => kinds.includes(layer.kind)).sort((a, b) => score(b.matrix) - score(a.matrix))[0];
  const shares = (matrix: Matrix) => matrix.weights.reduce((sum, w) => sum + w * w, 0) / Math.max(1, matrix.queries);
  const chosen = [
    { found: heads.find(({ layer, head }) => layer === aligns && head === alignedHead(attention, layer)), says: app.t("headAligns") },
    { found: best(previous, ["encoder", "decoder"]), says: app.t("headBefore") },
    { found: best((matrix) => -shares(matrix), ["encoder", "decoder"]), says: app.t("headSpreads") },
  ];
  const pictures = h(
    "div",
    { class: "panels three" },
    ...chosen.flatMap(({ found, says }) => {
      if (!found) return [];
      const canvas = picture(found.matrix, { log: false, most: Math.max(...found.matrix.weights) });
      canvas.classList.add("pixels");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", says);
      return [h("figure", {}, canvas, h("figcaption", {}, h("b", {}, says), ` ${app.t(found.layer.kind)}${app.t("comma")}${app.t("layer")} ${found.layer.layer}${app.t("comma")}${app.t("head")} ${found.head ?? "x̄"}`))];
    }),
  );
  return h("div", {}, pictures, hint(app.t("divideNote")));
}

// ---- 4. The same words in another order, with and without positions, computed here.
const DOG = { dog: [1, 0, 0.5, 0], bites: [0, 1, 0, 0.5], man: [0.5, 0, 1, 0] } as const;

function order(app: App): HTMLElement {
  const sentences = [["dog", "bites", "man"], ["man", "bites", "dog"]] as (keyof typeof DOG)[][];
  const place = h("div", { class: "panels" });
  const outputs = (words: (keyof typeof DOG)[], positions: boolean) => {
    const x = words.map((word, p) => DOG[word].map((value, i) => value + (positions ? positionalEncoding(p, i, 4) : 0)));
    return x.map((q) => {
      const shares = softmax(x.map((k) => q.reduce((sum, value, i) => sum + value * k[i]!, 0) / 2));
      return q.map((_, c) => shares.reduce((sum, p, j) => sum + p * x[j]![c]!, 0));
    });
  };
  const show = (positions: boolean) =>
    place.replaceChildren(
      ...sentences.map((words) => {
        const rows = outputs(words, positions);
        return h("figure", {}, h("figcaption", {}, h("b", {}, words.join(" "))), h("table", { class: "numbers" }, ...words.map((word, i) => h("tr", { "data-word": word }, h("th", { scope: "row" }, word), ...rows[i]!.map((value) => h("td", {}, signed(value, 2)))))));
      }),
    );
  const box = h("input", { type: "checkbox", checked: app.state.ordered, "data-name": "with-positions", onchange: () => app.set({ ordered: box.checked }) });
  show(app.state.ordered);
  return h("div", {}, toolbar(h("label", {}, box, h("span", {}, app.t("withPositions")))), place, hint(app.t("orderNote")));
}

// ---- 5. The runs of the page, at four moments.
function makes(app: App): HTMLElement {
  const run = app.document.runs.find(({ validations }) => validations.some(({ attention }) => attention));
  if (!run) return hint(app.t("storyNoRun"));
  const { validations } = run, last = validations[validations.length - 1]!.attention!;
  const kind = layersOf(last, "cross").length > 0 ? "cross" : last.layers[0]!.kind;
  const at = alignedLayer(last, kind), head = alignedHead(last, layersOf(last, kind)[at]!);
  const place = h("div");
  const draw = (i: number) => {
    const attention = validations[i]!.attention!, layer = layersOf(attention, kind)[at]!;
    const map = new HeatMap(app, { matrix: headOf(layer, head), rows: rowLabels(attention, kind), columns: columnLabels(attention, kind), height: 420, shading: { log: false, most: 1 } });
    place.replaceChildren(map.element);
    map.drawAtOnce();
  };
  const play = played(app, 0, validations.length - 1, 0.6, (i) => `${run.name} · ${app.t("update")} ${validations[i]!.update.toLocaleString("en")}`, draw);
  return h("div", {}, play, place);
}
