// The vectors of tokens, layer by layer: what the model would say there, which tokens are alike, where they lie.
import { attentionOf, type App } from "../app";
import { heatColour, lineColour, textOn } from "../colour";
import type { Attention, LayerStates } from "../data";
import { h, pathOf, percent, s, select, shown, signed } from "../dom";
import { below, beside, caption, matrixFigure, tableFigure, widthOf } from "../figure";
import { HeatMap } from "../heat_map";
import { labelPlaces } from "../label_places";
import { cosinePlaces, cosines, principalComponents } from "../measures";
import { player } from "../player";
import { hint, missing, toolbar } from "../toolbar";

export function statesView(app: App): HTMLElement {
  const attention = attentionOf(app), { stack, depth } = app.state;
  if (!attention || attention.states.length === 0) return missing(app, "noStates", ({ states }) => states.length > 0);
  const decoder = attention.states.some((each) => each.decoder === (stack === "decoder")) && stack !== null ? stack === "decoder" : attention.states[0]!.decoder;
  const layers = attention.states.filter((each) => each.decoder === decoder).sort((a, b) => a.layer - b.layer);
  const tokens = decoder ? attention.decoder_tokens : attention.encoder_tokens;
  const at = Math.max(0, layers.findIndex((each) => each.layer === (depth ?? layers[layers.length - 1]!.layer)));
  const both = attention.states.some((each) => each.decoder) && attention.states.some((each) => !each.decoder);
  const place = h("div", { class: "cards" });
  const show = (i: number) => {
    if (app.state.view === "states") app.note({ depth: i === layers.length - 1 ? null : layers[i]!.layer });
    const map = cosineMap(app, layers[i]!, tokens);
    place.replaceChildren(
      h("div", { class: "card wide" }, h("h3", {}, app.t("cosines")), hint(app.t("cosinesHelp")), map.element),
      h("div", { class: "card wide" }, h("h3", {}, app.t("projection")), scatter(app, layers[i]!, tokens)),
    );
    map.drawAtOnce();
  };
  const label = (i: number) => (layers[i]!.layer < 0 ? app.t("embeddings") : `${app.t("layer")} ${layers[i]!.layer}`);
  const slides = player(app, 0, layers.length - 1, at, 1.2, label, show);
  app.offer({
    name: "states",
    table: () => {
      const tell = teller(layers[slides.at]!);
      return [["", ...tokens], ...tokens.map((token, q) => [token, ...tokens.map((_, k) => tell(q, k).replace("−", "-"))])];
    },
    figure: () => below([caption(`${attention.model}: ${label(slides.at)}`), beside([matrixFigure(alike(layers[slides.at]!), tokens, tokens, { log: false, most: 1 }), ...(attention.guesses.length > 0 ? [guessFigure(app, attention)] : [])])]),
  });
  return h(
    "section",
    {},
    toolbar(both ? select(app.t("stack"), [false, true].map((value) => ({ value, label: app.t(value ? "decoderStack" : "encoderStack") })), decoder, (value) => app.set({ stack: value ? "decoder" : "encoder", depth: null }), "stack") : null, slides.element),
    place,
    attention.guesses.length > 0 && h("div", { class: "card" }, h("h3", {}, app.t("logitLens")), hint(app.t("logitLensHelp")), guessTable(app, attention)),
  );
}

// A cosine with the digits that are true.
function teller({ vectors }: LayerStates): (q: number, k: number) => string {
  const { keys, weights } = cosines(vectors), places = cosinePlaces(vectors);
  return (q, k) => signed(weights[q * keys + k]!, places);
}

// Cosines below 0 have the colour of 0.
const alike = ({ vectors }: LayerStates) => {
  const matrix = cosines(vectors);
  return { ...matrix, weights: matrix.weights.map((x) => Math.max(1e-6, x)) };
};

function cosineMap(app: App, states: LayerStates, tokens: string[]): HeatMap {
  const tell = teller(states);
  return new HeatMap(app, { matrix: alike(states), rows: tokens, columns: tokens, height: 420, shading: { log: false, most: 1 }, tell });
}

function scatter(app: App, { vectors }: LayerStates, tokens: string[]): HTMLElement {
  const { points, share } = principalComponents(vectors);
  const most = Math.max(1e-9, ...points.flat().map(Math.abs));
  const x = (v: number) => 260 + (220 * v) / most, y = (v: number) => 200 - (170 * v) / most;
  const labels = tokens.map(shown), places = labelPlaces(points.map(([a, b]) => [x(a), y(b)]), labels.map(widthOf));
  const drawing = s(
    "svg",
    { viewBox: "0 0 520 400", class: "chart scatter", role: "img", "aria-label": app.t("projection") },
    s("line", { class: "grid", x1: 20, x2: 500, y1: 200, y2: 200 }),
    s("line", { class: "grid", x1: 260, x2: 260, y1: 15, y2: 385 }),
    s("path", { class: "way", d: pathOf(points.map(([a, b]) => [x(a), y(b)])) }),
    ...points.flatMap(([a, b], i) => [s("circle", { cx: x(a), cy: y(b), r: 3.5, fill: lineColour(0) }), s("text", { x: places[i]!.x, y: places[i]!.y, "text-anchor": places[i]!.anchor }, labels[i])]),
  );
  return h("div", {}, drawing as unknown as Node, hint(app.t("projectionHelp").replace("#", percent(share))));
}

function guessTable(app: App, attention: Attention): HTMLElement {
  return h(
    "div",
    { class: "wide-table", tabindex: 0, role: "group", "aria-label": app.t("logitLens") },
    h(
      "table",
      { class: "numbers guesses", style: `--columns:${attention.decoder_outputs.length}` },
      h("tr", {}, h("td", { class: "corner" }), ...attention.decoder_outputs.map((token) => h("th", { scope: "col" }, h("bdi", {}, shown(token))))),
      ...attention.guesses.map((steps, i) =>
        h("tr", {}, h("th", { scope: "row" }, `${app.t("layer")}\u00a0${i}`), ...steps.map((guess) => h("td", { style: `background:${heatColour(guess[0]!.p)};color:${textOn(guess[0]!.p)}`, title: guess.map(({ token, p }) => `${token} ${percent(p)}`).join("\n") }, h("bdi", {}, shown(guess[0]!.token))))),
      ),
    ),
  );
}

function guessFigure(app: App, attention: Attention) {
  return tableFigure([[{ text: "" }, ...attention.decoder_outputs.map((text) => ({ text: shown(text) }))], ...attention.guesses.map((steps, i) => [{ text: `${app.t("layer")}\u00a0${i}` }, ...steps.map((guess) => ({ text: shown(guess[0]!.token), fill: heatColour(guess[0]!.p), ink: textOn(guess[0]!.p) }))])]);
}
