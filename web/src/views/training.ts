// Training runs: those of the page, or one of the server's while it goes on.
import type { App } from "../app";
import { readDocument, type Run } from "../data";
import { h, select } from "../dom";
import { keyField } from "../key_field";
import { alertBox } from "../refusal";
import { repeat } from "../repeat";
import { fetchRun } from "../server";
import { showRuns, type ShownRuns } from "../shown_runs";
import { hint, toolbar } from "../toolbar";

export function trainingView(app: App): HTMLElement {
  const { runs, server } = app.document;
  if (server && server.runs.length > 0) return followed(app, server.runs);
  if (runs.length === 0) return hint(app.t(server ? "noRunServed" : "noRun"));
  return showRuns(app, runs).element;
}

// ---- A run of the server, which is asked for again and again.
let known: { name: string; tag: string; run: Run } | null = null;

function followed(app: App, names: string[]): HTMLElement {
  const name = names.find((each) => each === app.state.run) ?? names[0]!;
  const alert = alertBox(app), place = h("div");
  let view: ShownRuns | null = null;
  const show = (run: Run) => {
    if (view) return view.update([run]);
    view = showRuns(app, [run]);
    place.replaceChildren(view.element);
  };
  if (known?.name === name) show(known.run);
  const look = async (signal: AbortSignal) => {
    try {
      const answer = await fetchRun(name, known?.name === name ? known.tag : "", signal);
      if (signal.aborted) return;
      alert.show(null);
      if (!answer) return; // nothing new
      const run = (await readDocument(JSON.parse(answer.text))).runs[0]!;
      if (signal.aborted) return;
      known = { name, tag: answer.tag, run };
      show(run);
    } catch (error) {
      if (!signal.aborted) alert.show(error);
    }
  };
  app.onLeave(repeat(look));
  const choices = names.map((each) => ({ value: each, label: each }));
  return h("section", {}, toolbar(select(app.t("run"), choices, name, (run) => app.set({ run, at: null }), "run"), keyField(app)), alert.element, place);
}
