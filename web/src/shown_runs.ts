// Training runs side by side: how the attention of one sentence emerges, what the models write meanwhile, and their curves.
import { alignedHead, alignedLayer } from "./aligned";
import { columnLabels, defaultKind, layersOf, rowLabels, type Attention, type Kind, type Run, type Validation } from "./data";
import { chosenHead, chosenOf, type App, type State } from "./app";
import { chart, type Chart, type Curve } from "./chart";
import { h } from "./dom";
import { curveName } from "./texts";
import { animated } from "./animation";
import { HeatMap } from "./heat_map";
import { headOf } from "./maths";
import { calm, player, type Player } from "./player";
import { colourSelect, headSelect, hint, kindSelect, layerSelect, meanings, toolbar } from "./toolbar";

// Runs on the page, which can go on.
export interface ShownRuns {
  element: HTMLElement;
  update(runs: Run[]): void;
}

const NOT_CURVES = new Set(["update", "epoch", "tokens", "seconds", "memory", "skipped", "kind"]);
const SECONDS_A_FRAME = 0.5;

// A chart for each quantity; what several runs, or training and validation, measure shares one.
function curvesOf(app: App, runs: Run[]): Map<string, Curve[]> {
  const validated = new Set<string>(), charts = new Map<string, Curve[]>();
  for (const run of runs)
    for (const kind of ["training", "validation"])
      for (const record of run.metrics.filter((record) => record.kind === kind))
        for (const [name, value] of Object.entries(record)) {
          if (NOT_CURVES.has(name) || typeof value !== "number" || !Number.isFinite(value)) continue;
          const curves = charts.get(name) ?? [];
          charts.set(name, curves);
          const part = curveName(app.state.language, kind), label = runs.length > 1 ? `${run.name}${app.t("comma")}${part}` : part;
          if (kind === "validation") validated.add(name);
          let curve = curves.find((curve) => curve.name === label);
          if (!curve) curves.push((curve = { name: label, points: [] }));
          curve.points.push([Number(record.update), value]);
        }
  // What is measured on text that was not trained on comes first.
  return new Map([...charts].sort(([a], [b]) => Number(validated.has(b)) - Number(validated.has(a))));
}

// The validation of a run that stands beside number `at` of `last`.
const placeIn = (run: Run, at: number, last: number): number => (last === 0 ? 0 : Math.round((at / last) * (run.validations.length - 1)));

let played = false; // by itself, once

export function showRuns(app: App, first: Run[]): ShownRuns {
  const charts = h("div", { class: "charts" });
  const element = h("section", {}, charts);
  let slides: ReturnType<typeof validations> | null = null;
  let drawn: Chart[] = [];
  let runs = first;
  const cursors = (updates: number[]) => drawn.forEach((each) => each.mark(updates));
  const update = (next: Run[]) => {
    runs = next;
    const entries = [...curvesOf(app, runs)].map(([name, curves]) => ({ name, chart: chart(app, curves) }));
    drawn = entries.map((entry) => entry.chart);
    charts.replaceChildren(...entries.map(({ name, chart }) => h("figure", { class: "card", "data-chart": name }, h("figcaption", {}, h("b", {}, curveName(app.state.language, name))), chart.element)));
    if (slides) slides.update(runs);
    else if (runs.some((run) => run.validations.length > 0)) element.prepend((slides = validations(app, runs, cursors)).element);
  };
  update(first);
  const everything = () => [["run", "kind", "update", "name", "value"], ...runs.flatMap((run) => run.metrics.flatMap((record) => Object.entries(record).filter(([name]) => name !== "kind" && name !== "update").map(([name, value]) => [run.name, String(record.kind), String(record.update), name, String(value)])))];
  app.offer({ name: "training", table: everything, figure: slides ? () => slides!.figure() : undefined });
  return { element, update };
}

// One run's part: its map, its outputs.
class Panel {
  readonly element: HTMLElement;
  private readonly map = h("div");
  private readonly bar = h("div");
  private readonly samples = h("div", { class: "samples" });
  private readonly update = h("small");

  constructor(private readonly app: App, public run: Run, private readonly place: number, redraw: () => void, private readonly alone: boolean) {
    this.redraw = redraw;
    this.element = h("div", { class: "card emerging", "data-run": run.name }, h("h3", {}, h("b", {}, run.name), " ", this.update), this.bar, this.map, this.samples);
  }
  private readonly redraw: () => void;

  get last(): Attention | null {
    return this.run.validations[this.run.validations.length - 1]?.attention ?? null;
  }

  // What it shows at the end.
  get kind(): Kind | null {
    return (this.last && chosenOf(this.mine(), this.last)?.kind) ?? null;
  }

  // The choice stands for all validations: what the last one aligns by.
  mine(): App {
    const { app, place } = this, last = this.last, chosen = app.state.panels[place] ?? {};
    const kind = this.alone ? app.state.kind : (chosen.kind ?? null);
    const layer = this.alone ? app.state.layer : (chosen.layer ?? null), head = this.alone ? app.state.head : (chosen.head ?? null);
    const state: State = { ...app.state, kind, layer, head };
    if (last && last.layers.length > 0) {
      const of = kind ?? defaultKind(last);
      state.layer ??= alignedLayer(last, of);
      const chosenLayer = layersOf(last, of)[state.layer];
      if (head === null && chosenLayer) state.head = alignedHead(last, chosenLayer) ?? "mean";
    }
    return {
      ...app,
      state,
      set: (change) => {
        if (this.alone || "scale" in change) return app.set(change);
        const { kind, layer, head } = { ...app.state.panels[place], ...change };
        app.note({ panels: { ...app.state.panels, [place]: { kind, layer, head } } }, true);
        this.redraw();
      },
    };
  }

  matrixAt(place: number) {
    const attention = this.run.validations[place]?.attention, mine = this.mine();
    const chosen = attention && chosenOf(mine, attention);
    if (!attention || !chosen) return null;
    const matrix = headOf(chosen.layer, chosenHead(mine, attention, chosen.layer));
    return { attention, chosen, matrix, rows: rowLabels(attention, chosen.kind), columns: columnLabels(attention, chosen.kind), mine };
  }

  show(place: number): number {
    const { update, samples } = this.run.validations[place]!, { app } = this;
    this.update.textContent = `${app.t("update")} ${update.toLocaleString("en")}`;
    this.samples.replaceChildren(
      ...samples.map(({ source, reference, output }) =>
        h("dl", {}, h("dt", {}, h("bdi", {}, source)), h("dd", { class: `output ${output === reference ? "good" : "bad"}` }, h("small", {}, app.t("output")), h("bdi", {}, output)), output !== reference && h("dd", {}, h("small", {}, app.t("reference")), h("bdi", {}, reference))),
      ),
    );
    const seen = this.matrixAt(place);
    if (seen) {
      const { attention, chosen, matrix, rows, columns, mine } = seen;
      this.bar.replaceChildren(toolbar(kindSelect(mine, attention), layerSelect(mine, attention, chosen.layers, chosen.at), headSelect(mine, attention, chosen.layer)));
      const map = new HeatMap(app, { matrix, rows, columns, height: Math.max(460, innerHeight / 2), place: this.place });
      this.map.replaceChildren(map.element);
      map.drawAtOnce();
    }
    return update;
  }
}

// What the first sample became.
function written({ samples }: Validation): string {
  const first = samples[0];
  return first ? `${first.source} → ${first.output} ${first.output === first.reference ? "✓" : "✗"}` : "";
}

function validations(app: App, first: Run[], cursors: (updates: number[]) => void) {
  const shown = first.filter((run) => run.validations.length > 0);
  const panels: Panel[] = shown.map((run, i) => new Panel(app, run, i, () => show(slides!.at), shown.length === 1));
  const last = () => Math.max(...panels.map(({ run }) => run.validations.length - 1));
  const meaning = h("div");
  const show = (at: number) => {
    cursors(panels.map((panel) => panel.show(placeIn(panel.run, at, slides?.last ?? last()))));
    meaning.replaceChildren(...meanings(app, panels.flatMap((panel) => panel.kind ?? [])));
  };
  const label = (at: number) => panels.map(({ run }) => `${app.t("update")} ${run.validations[placeIn(run, at, last())]!.update.toLocaleString("en")}`).filter((text, i, all) => all.indexOf(text) === i).join(" · ");
  let slides: Player | null = null;
  // Who looks at the last one sees the next one come.
  const note = (at: number) => {
    show(at);
    if (slides) app.note({ at: at === last() ? null : at });
  };
  slides = player(app, 0, last(), app.state.at ?? last(), SECONDS_A_FRAME, label, note);
  if (app.document.opens === "training" && app.state.at === null && !played && !calm()) slides.play();
  played = true;
  const attends = panels.some((panel) => panel.last);
  const element = h(
    "div",
    {},
    attends ? h("h2", {}, app.t("emerging")) : hint(app.t("noAttention")),
    attends && hint(app.t("emergingHelp")),
    meaning,
    toolbar(slides.element, attends ? colourSelect(app) : null),
    h("div", { class: "panels" }, ...panels.map((panel) => panel.element)),
  );
  const update = (next: Run[]) => {
    const before = last(), at = slides!.at;
    for (const panel of panels) {
      const run = next.find(({ name }) => name === panel.run.name);
      if (run && run.validations.length > 0) panel.run = run; // one that began again is shown until there is more
    }
    slides!.extend(last());
    if (at === before && last() !== before) slides!.go(last());
  };
  const figure = () => animated(app, panels.map((panel) => ({ name: panel.run.name, frames: panel.run.validations.map((validation, i) => ({ update: validation.update, output: written(validation), seen: panel.matrixAt(i) })) })));
  return { element, update, figure };
}
