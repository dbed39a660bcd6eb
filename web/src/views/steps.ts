// The search, played step by step: what could come next, the hypotheses that were kept, where each step looked.
import { attentionOf, chosenHead, chosenOf, type App } from "../app";
import { heatColour, textOn } from "../colour";
import { columnLabels, type Attention } from "../data";
import { button, digits, h, percent, s, shown } from "../dom";
import { headOf } from "../maths";
import { headSelect, hint, layerSelect, toolbar } from "../toolbar";
import { beamTree } from "../beam_tree";

const SECONDS_A_STEP = 0.9;

export function stepsView(app: App): HTMLElement {
  const attention = attentionOf(app);
  if (!attention) return hint(app.t("nothing"));
  const path = attention.tree.map((_, i) => i).filter((i) => attention.tree[i]!.on_result);
  const steps = path.length - 1;
  if (steps < 1) return hint(app.t("noSteps"));

  let step = 1; // the token path[step] is being written
  let looking: number | null = null; // a node that was clicked
  const chosen = chosenOf(app, attention);
  const looks = chosen && chosen.kind !== "encoder" ? chosen : undefined;
  const matrix = looks && headOf(looks.layer, chosenHead(app, looks.layer));

  const counter = h("output", { class: "counter" });
  const slider = h("input", { type: "range", min: 1, max: steps, step: 1, "aria-label": app.t("step"), oninput: () => go(Number(slider.value)) });
  const reads = h("p", { class: "chips", "data-part": "reads" });
  const writes = h("p", { class: "chips", "data-part": "writes" });
  const bars = h("div", { class: "bars" });
  const tree = beamTree(app, attention.tree, (node) => {
    looking = node;
    show();
  });

  const show = () => {
    slider.value = String(step);
    counter.textContent = `${app.t("step")} ${step} / ${steps}`;
    showReading(reads, attention, looks?.kind, matrix && rowOf(attention, looks!.kind, step - 1, matrix.keys, matrix.weights));
    writes.replaceChildren(
      ...path.slice(1, step + 1).map((node, i) =>
        h("span", { class: i + 1 === step ? "chip now" : "chip" }, h("bdi", {}, shown(attention.tree[node]!.token))),
      ),
    );
    showCandidates(bars, attention, looking ?? path[step - 1]!, looking === null ? attention.tree[path[step]!]!.token : null);
    tree.show(step, looking ?? path[step]!);
  };
  const go = (to: number) => {
    step = Math.max(1, Math.min(steps, to));
    looking = null;
    show();
  };

  let clock: number | undefined;
  const playing = button(app.t("play"), () => (clock === undefined ? play() : stop()), { class: "primary" });
  const stop = () => {
    clearInterval(clock);
    clock = undefined;
    playing.textContent = app.t("play");
  };
  const play = () => {
    if (step === steps) go(1);
    playing.textContent = app.t("pause");
    clock = window.setInterval(() => (step < steps ? go(step + 1) : stop()), 1000 * SECONDS_A_STEP);
  };
  app.onLeave(stop);
  app.onKey((event) => {
    const keys: Record<string, () => void> = {
      ArrowRight: () => go(step + 1),
      ArrowLeft: () => go(step - 1),
      Home: () => go(1),
      End: () => go(steps),
      " ": () => (clock === undefined ? play() : stop()),
    };
    keys[event.key]?.();
    return event.key in keys;
  });

  const element = h(
    "section",
    {},
    toolbar(
      h("span", { class: "buttons" }, button("◀", () => go(step - 1), { "aria-label": app.t("back") }), playing, button("▶", () => go(step + 1), { "aria-label": app.t("next") })),
      slider,
      counter,
      looks ? layerSelect(app, looks.layers, looks.at) : null,
      looks ? headSelect(app, looks.layer) : null,
    ),
    h("div", { class: "cards" },
      h("div", { class: "card" }, h("h3", {}, app.t("looked")), reads, h("h3", {}, app.t("writes")), writes),
      h("div", { class: "card" }, h("h3", {}, app.t("candidates")), bars),
    ),
    h("div", { class: "card" }, h("h3", {}, app.t("beam")), tree.element, hint(app.t("beamHelp"))),
  );
  show();
  return element;
}

// The weights with which a token was written.
function rowOf(attention: Attention, kind: string, written: number, keys: number, weights: Float32Array): Float32Array | undefined {
  const merged = attention.output_words.length > 0;
  if (kind === "decoder" && merged) return undefined;
  const row = kind === "cross" ? (attention.output_words[written] ?? written) : attention.decoder_tokens.length - attention.decoder_outputs.length + written;
  return weights.subarray(row * keys, (row + 1) * keys);
}

function showReading(to: HTMLElement, attention: Attention, kind: "cross" | "decoder" | "encoder" | undefined, row: Float32Array | undefined): void {
  const tokens = kind ? columnLabels(attention, kind) : attention.encoder_tokens;
  to.replaceChildren(
    ...tokens.map((token, k) => {
      const weight = row?.[k];
      const style = weight === undefined ? "" : `background:${heatColour(weight)};color:${textOn(weight)}`;
      return h("span", { class: "chip", style, title: weight === undefined ? "" : digits(weight), "data-weight": weight === undefined ? "" : digits(weight) }, h("bdi", {}, shown(token)));
    }),
  );
}

function showCandidates(to: HTMLElement, attention: Attention, node: number, taken: string | null): void {
  const { candidates } = attention.tree[node]!;
  const rest = 1 - candidates.reduce((sum, { p }) => sum + p, 0);
  const bar = (label: string, p: number, kind: string) =>
    h(
      "div",
      { class: `bar ${kind}`, "data-p": p },
      h("bdi", {}, label),
      s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { width: 100 * p, height: 10 })),
      h("span", { class: "number" }, percent(p)),
    );
  to.replaceChildren(
    ...candidates.map(({ token, p }) => bar(shown(token), p, token === taken ? "taken" : "")),
    ...(candidates.length > 0 && rest > 0.0005 ? [bar("…", rest, "rest")] : []),
  );
}
