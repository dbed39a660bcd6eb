// A training run: its curves, translations after each validation, and how the attention of one sentence emerges.
import { chosenHead, chosenOf, type App } from "./app";
import { chart, type Curve } from "./chart";
import { columnLabels, rowLabels, type Run } from "./data";
import { h } from "./dom";
import { HeatMap } from "./heat_map";
import { headOf } from "./maths";
import { colourSelect, headSelect, hint, kindSelect, layerSelect, toolbar } from "./toolbar";

// A run on the page, which can go on.
export interface ShownRun {
  element: HTMLElement;
  update(run: Run): void;
}

const NOT_CURVES = new Set(["update", "epoch", "tokens", "seconds", "memory", "skipped", "kind"]);

// A chart for each quantity; what training and validation both measure shares one.
function curvesOf(run: Run): Map<string, Curve[]> {
  const charts = new Map<string, Curve[]>();
  for (const kind of ["training", "validation"])
    for (const record of run.metrics.filter((record) => record.kind === kind))
      for (const [name, value] of Object.entries(record)) {
        if (NOT_CURVES.has(name) || typeof value !== "number" || !Number.isFinite(value)) continue;
        const curves = charts.get(name) ?? [];
        charts.set(name, curves);
        let curve = curves.find((curve) => curve.name === kind);
        if (!curve) curves.push((curve = { name: kind, points: [] }));
        curve.points.push([Number(record.update), value]);
      }
  return charts;
}

let choice: { run: string; at: number | null } = { run: "", at: null }; // a validation; null: the last

export function showRun(app: App, first: Run): ShownRun {
  const charts = h("div", { class: "charts" });
  const element = h("section", {}, charts);
  let slides: ShownRun | null = null;
  const update = (run: Run) => {
    if (slides) slides.update(run);
    else if (run.validations.length > 0) element.prepend((slides = validations(app, run)).element);
    charts.replaceChildren(
      ...[...curvesOf(run)].map(([name, curves]) => h("figure", { class: "card", "data-chart": name }, h("figcaption", {}, name.replaceAll("_", " ")), chart(app, curves))),
    );
  };
  update(first);
  return { element, update };
}

function validations(app: App, first: Run): ShownRun {
  let run = first;
  const last = () => run.validations.length - 1;
  const at = () => (choice.run === run.name ? choice.at : null);
  const samples = h("div", { class: "samples" }), map = h("div");
  const counter = h("output", { class: "counter" });
  const slider = h("input", { type: "range", min: 0, max: last(), step: 1, "aria-label": app.t("update"), oninput: () => choose(Number(slider.value)) });
  const bar = h("div");
  const show = (next: number) => {
    slider.value = String(next);
    const { update, samples: texts, attention } = run.validations[next]!;
    counter.textContent = `${app.t("update")} ${update.toLocaleString("en")}`;
    samples.replaceChildren(
      ...texts.map(({ source, reference, output }) =>
        h("dl", {}, h("dt", {}, h("bdi", {}, source)), h("dd", { class: "output" }, h("small", {}, app.t("output")), h("bdi", {}, output)), h("dd", {}, h("small", {}, app.t("reference")), h("bdi", {}, reference))),
      ),
    );
    const chosen = attention && chosenOf(app, attention);
    if (!attention || !chosen) return;
    bar.replaceChildren(toolbar(kindSelect(app, attention), layerSelect(app, chosen.layers, chosen.at), headSelect(app, chosen.layer), colourSelect(app)));
    map.replaceChildren(
      new HeatMap(app, {
        matrix: headOf(chosen.layer, chosenHead(app, chosen.layer)),
        rows: rowLabels(attention, chosen.kind),
        columns: columnLabels(attention, chosen.kind),
        log: app.state.log,
        height: 520,
      }).element,
    );
  };
  // Who looks at the last one sees the next one come.
  const choose = (next: number) => {
    choice = { run: run.name, at: next === last() ? null : next };
    show(next);
  };
  app.onKey((event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0) choose(Math.max(0, Math.min(last(), (at() ?? last()) + step)));
    return step !== 0;
  });
  show(Math.min(at() ?? last(), last()));
  const element = h(
    "div",
    { class: "card" },
    toolbar(slider, counter),
    h(
      "div",
      { class: "cards" },
      map.hasChildNodes() && h("div", { class: "wide" }, h("h3", {}, app.t("emerging")), bar, map),
      samples.hasChildNodes() && h("div", { class: "narrow" }, h("h3", {}, app.t("samples")), samples),
    ),
    !map.hasChildNodes() && hint(app.t("noAttention")),
  );
  const update = (next: Run) => {
    if (next.validations.length === 0) return; // it began again; what was is shown until there is more
    const more = next.validations.length !== run.validations.length;
    run = next;
    slider.max = String(last());
    if (more && (at() ?? last()) >= last()) show(last());
  };
  return { element, update };
}
