// A training run: its curves, translations after each validation, and how the attention of one sentence emerges.
import type { App } from "../app";
import { chosenHead, chosenOf } from "../app";
import { columnLabels, rowLabels, type Run } from "../data";
import { h } from "../dom";
import { HeatMap } from "../heat_map";
import { headOf } from "../maths";
import { chart, type Curve } from "../chart";
import { colourSelect, headSelect, hint, kindSelect, layerSelect, toolbar } from "../toolbar";

const NOT_CURVES = new Set(["update", "epoch", "tokens", "seconds", "memory", "skipped", "kind"]);

// A chart for each quantity; what training and validation both measure shares one.
export function curvesOf(run: Run): Map<string, Curve[]> {
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

let at: number | null = null; // validation; null: the last

export function trainingView(app: App): HTMLElement {
  const { run } = app.document;
  if (!run) return hint(app.t("noRun"));
  const charts = curvesOf(run);
  return h(
    "section",
    {},
    run.validations.length > 0 && validations(app, run),
    h("div", { class: "charts" }, ...[...charts].map(([name, curves]) => h("figure", { class: "card", "data-chart": name }, h("figcaption", {}, name.replaceAll("_", " ")), chart(app, curves)))),
  );
}

function validations(app: App, run: Run): HTMLElement {
  const last = run.validations.length - 1;
  const samples = h("div", { class: "samples" }), map = h("div");
  const counter = h("output", { class: "counter" });
  const slider = h("input", { type: "range", min: 0, max: last, step: 1, "aria-label": app.t("update"), oninput: () => show(Number(slider.value)) });
  const bar = h("div");
  const show = (next: number) => {
    at = next;
    slider.value = String(next);
    const { update, samples: texts, attention } = run.validations[next]!;
    counter.textContent = `${app.t("update")} ${update.toLocaleString("en")}`;
    samples.replaceChildren(
      ...texts.map(({ source, reference, output }) =>
        h("dl", {}, h("dt", {}, h("bdi", {}, source)), h("dd", { class: "output" }, h("small", {}, app.t("output")), h("bdi", {}, output)), h("dd", {}, h("small", {}, app.t("reference")), h("bdi", {}, reference))),
      ),
    );
    const chosen = attention && chosenOf(app, attention);
    if (!attention || !chosen) return map.replaceChildren(hint(app.t("noAttention")));
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
  app.onKey((event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0) show(Math.max(0, Math.min(last, (at ?? last) + step)));
    return step !== 0;
  });
  show(Math.min(at ?? last, last));
  return h(
    "div",
    { class: "card" },
    toolbar(slider, counter),
    h(
      "div",
      { class: "cards" },
      h("div", { class: "wide" }, h("h3", {}, app.t("emerging")), bar, map),
      samples.childElementCount > 0 && h("div", { class: "narrow" }, h("h3", {}, app.t("samples")), samples),
    ),
  );
}
