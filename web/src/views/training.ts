// A training run: that of the page, or one of the server's while it goes on.
import type { App } from "../app";
import { readDocument, type Run } from "../data";
import { h, select } from "../dom";
import { keyField } from "../key_field";
import { alertBox } from "../refusal";
import { repeat } from "../repeat";
import { fetchRun } from "../server";
import { showRun, type ShownRun } from "../shown_run";
import { hint, toolbar } from "../toolbar";

export function trainingView(app: App): HTMLElement {
  const { run, server } = app.document;
  if (server && server.runs.length > 0) return followed(app, server.runs);
  if (!run) return hint(app.t(server ? "noRunServed" : "noRun"));
  return showRun(app, run).element;
}

// ---- A run of the server, which is asked for again and again.
let known: { name: string; text: string; run: Run } | null = null;

function followed(app: App, names: string[]): HTMLElement {
  const name = names.find((each) => each === app.state.run) ?? names[0]!;
  const alert = alertBox(app), place = h("div");
  let view: ShownRun | null = null;
  const show = (run: Run) => {
    if (view) return view.update(run);
    view = showRun(app, run);
    place.replaceChildren(view.element);
  };
  if (known?.name === name) show(known.run);
  const look = async (signal: AbortSignal) => {
    try {
      const text = await fetchRun(name, signal);
      const run = known?.name === name && known.text === text ? known.run : (await readDocument(JSON.parse(text))).run!;
      if (signal.aborted) return;
      alert.show(null);
      if (run === known?.run) return;
      known = { name, text, run };
      show(run);
    } catch (error) {
      if (!signal.aborted) alert.show(error);
    }
  };
  app.onLeave(repeat(look));
  const choices = names.map((each) => ({ value: each, label: each }));
  return h("section", {}, toolbar(select(app.t("run"), choices, name, (run) => app.set({ run }), "run"), keyField(app)), alert.element, place);
}
