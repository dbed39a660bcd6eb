// The search, played step by step: what could come next, the hypotheses that were kept, where each step looked.
import { attentionOf, chosenHead, chosenOf, type App } from "../app";
import { heatColour, textOn } from "../colour";
import { columnLabels, type Attention } from "../data";
import { digits, h, percent, s, shown } from "../dom";
import { below, caption } from "../figure";
import { headOf, shadingOf, type Shading } from "../maths";
import { player } from "../player";
import { reachable } from "../reachable";
import { headSelect, hint, layerSelect, toolbar } from "../toolbar";
import { beamTree } from "../beam_tree";
import { beginWith, canChange } from "../what_if";

const SECONDS_A_STEP = 0.9;

export function stepsView(app: App): HTMLElement {
  const attention = attentionOf(app);
  if (!attention) return hint(app.t("nothing"));
  const path = attention.tree.map((_, i) => i).filter((i) => attention.tree[i]!.on_result);
  const steps = path.length - 1;
  if (steps < 1) return hint(app.t("noSteps"));

  let looking = app.state.node !== null && app.state.node < attention.tree.length ? app.state.node : null; // a node that was clicked
  const chosen = chosenOf(app, attention);
  const looks = chosen && chosen.kind !== "encoder" ? chosen : undefined;
  const matrix = looks && headOf(looks.layer, chosenHead(app, attention, looks.layer));
  const shading = matrix && shadingOf(app.state.scale, [matrix]);

  const reads = h("p", { class: "chips", "data-part": "reads" });
  const writes = h("p", { class: "chips", "data-part": "writes" });
  const reach = [reads, writes].map((chips) => reachable(app, chips));
  const bars = h("div", { class: "bars" });
  const tree = beamTree(app, attention.tree, (node) => {
    looking = node;
    app.note({ node }, true);
    show(steppers.at);
  });

  // The token path[step] is being written.
  const show = (step: number) => {
    showReading(reads, attention, looks?.kind, matrix && rowOf(attention, looks!.kind, step - 1, matrix.keys, matrix.weights), shading);
    writes.replaceChildren(
      ...path.slice(1, step + 1).map((node, i) =>
        h("span", { class: i + 1 === step ? "chip now" : "chip" }, h("bdi", {}, shown(attention.tree[node]!.token))),
      ),
    );
    const node = looking ?? path[step - 1]!;
    const take = canChange(app) && attention.output_words.length === 0 ? (token: string) => void beginWith(app, [...tokensTo(attention, node), token]) : null;
    showCandidates(app, bars, attention, node, looking === null ? attention.tree[path[step]!]!.token : null, take);
    tree.show(step, looking ?? path[step]!);
    reach.forEach((look) => look());
  };
  const steppers = player(app, 1, steps, app.state.step, SECONDS_A_STEP, (step) => `${app.t("step")} ${step} / ${steps}`, (step) => {
    if (step !== app.state.step) looking = null;
    show(step);
    app.note({ step, node: looking });
  });
  app.offer({ name: "search", table: () => tableOf(attention), figure: () => below([caption(`${attention.model}: ${attention.source} → ${attention.target}`), tree.figure()]) });

  return h(
    "section",
    {},
    toolbar(
      steppers.element,
      looks ? layerSelect(app, attention, looks.layers, looks.at) : null,
      looks ? headSelect(app, attention, looks.layer) : null,
    ),
    h("div", { class: "cards" },
      h("div", { class: "card" }, h("h3", {}, app.t(looks ? "looked" : "reads")), reads, h("h3", {}, app.t("writes")), writes),
      h("div", { class: "card" }, h("h3", {}, app.t("candidates")), bars),
    ),
    h("div", { class: "card" }, h("h3", {}, app.t("beam")), tree.element, hint(app.t("beamHelp"))),
  );
}

function tableOf({ tree }: Attention): string[][] {
  return [["node", "parent", "token", "log p", "sum", "result"], ...tree.map(({ parent, token, log_p, score, on_result }, i) => [String(i), String(parent), token, log_p.toFixed(4), score.toFixed(4), on_result ? "1" : "0"])];
}

// The weights with which a token was written.
function rowOf(attention: Attention, kind: string, written: number, keys: number, weights: Float32Array): Float32Array | undefined {
  const merged = attention.output_words.length > 0;
  if (kind === "decoder" && merged) return undefined;
  const row = kind === "cross" ? (attention.output_words[written] ?? written) : attention.decoder_tokens.length - attention.decoder_outputs.length + written;
  return weights.subarray(row * keys, (row + 1) * keys);
}

function showReading(to: HTMLElement, attention: Attention, kind: "cross" | "decoder" | "encoder" | undefined, row: Float32Array | undefined, shading: Shading | undefined): void {
  const tokens = kind ? columnLabels(attention, kind) : attention.encoder_tokens;
  to.replaceChildren(
    ...tokens.map((token, k) => {
      const weight = row?.[k];
      const style = weight === undefined ? "" : `background:${heatColour(weight, shading)};color:${textOn(weight, shading)}`;
      return h("span", { class: "chip", style, title: weight === undefined ? "" : digits(weight), "data-weight": weight === undefined ? "" : digits(weight) }, h("bdi", {}, shown(token)));
    }),
  );
}

// What is written up to a node.
function tokensTo({ tree }: Attention, node: number): string[] {
  const tokens: string[] = [];
  for (let n = node; n > 0; n = tree[n]!.parent) tokens.unshift(tree[n]!.token);
  return tokens;
}

// `take`: another candidate can be chosen.
function showCandidates(app: App, to: HTMLElement, attention: Attention, node: number, taken: string | null, take: ((token: string) => void) | null): void {
  const { candidates, ended, on_result } = attention.tree[node]!;
  if (candidates.length === 0) return to.replaceChildren(hint(app.t(ended ? "endedHere" : on_result ? "givenHere" : "notContinued")));
  const rest = 1 - candidates.reduce((sum, { p }) => sum + p, 0);
  const bar = (label: string, p: number, kind: string, choose?: () => void) =>
    h(
      choose ? "button" : "div",
      { class: `bar ${kind}`, "data-p": p, ...(choose ? { type: "button", onclick: choose } : {}) },
      h("bdi", {}, label),
      s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { width: 100 * p, height: 10 })),
      h("span", { class: "number" }, percent(p)),
    );
  to.replaceChildren(
    ...candidates.map(({ token, p }) => bar(shown(token), p, token === taken ? "taken" : "", take && token !== taken ? () => take(token) : undefined)),
    ...(candidates.length > 0 && rest > 0.0005 ? [bar("…", rest, "rest")] : []),
    ...(take ? [hint(app.t("takeCandidate"))] : []),
  );
}
