// Training in the page: choose a model and what it learns, start it, and watch.
import type { App } from "../app";
import { short } from "../chart";
import { button, h, select } from "../dom";
import { say } from "../engine/words";
import { alertBox } from "../refusal";
import { save } from "../share";
import { showRuns, type ShownRuns } from "../shown_runs";
import { hint, toolbar } from "../toolbar";
import { LEAST_PAIRS, pairsOf, type Pair } from "./pairs";
import { PLANS, plans, type PlanName, type Tuned } from "./plans";
import { allLearnings, hasModel, learning, learningOf, onLearning, pause, savedFiles, start, startAgain, type Learning } from "./trainer";
import { zipOf } from "./zip";

// What is chosen stays while other views are shown.
const chosen = { name: "bahdanau" as PlanName, own: false, text: "" };
const tuned: Partial<Record<PlanName, Tuned>> = {};
const tunedOf = (name: PlanName): Tuned => (tuned[name] ??= { rate: plans[name].rate, updates: plans[name].updates });

function statusOf(app: App, { phase, progress, scores, tuned }: Learning): string {
  if (phase === "preparing" || (phase === "running" && !progress)) return say(app, "preparing");
  if (!progress) return "";
  const count = (value: number) => Math.round(value).toLocaleString("en");
  const said = [
    say(app, "progress", count(progress.updates), count(tuned.updates)),
    Number.isFinite(progress.loss) && progress.updates > 0 ? say(app, "loss", short(progress.loss)) : "",
    "exact" in scores ? say(app, "exact", scores.exact!.toFixed(1)) : "",
    progress.seconds > 0 ? say(app, "speed", count(progress.tokens / progress.seconds)) : "",
    phase === "pausing" ? say(app, "pausing") : phase === "finished" ? say(app, "finished") : "",
  ];
  return said.filter((part) => part !== "").join(" · ");
}

// A number that is taken when it is one.
function numberField(label: string, name: string, least: number, value: number, take: (value: number) => void): HTMLElement {
  const field = h("input", { type: "number", min: least, step: "any", value, inputmode: "decimal", "data-name": name, onchange: () => {
    const next = Number(field.value);
    if (field.value !== "" && next >= least) take(next);
    else field.value = String(value);
  } });
  return h("label", {}, h("span", {}, label), field);
}

export function learnView(app: App): HTMLElement {
  const { name } = chosen, alert = alertBox(app);
  const pairs = (): Pair[] | null => (chosen.own ? pairsOf(chosen.text) : null);
  const tune = (change: Partial<Tuned>) => Object.assign(tunedOf(name), change); // one that is learning has the same object
  const begin = (action: typeof start | typeof startAgain) => async () => {
    try {
      await action(name, tunedOf(name), pairs());
    } catch (error) {
      alert.show(error);
    }
  };
  const go = button(say(app, "start"), () => (learningOf(name) === learning() && learning() ? pause() : void begin(start)()), { class: "primary", "data-action": "go" });
  const again = button(say(app, "again"), () => void begin(startAgain)(), { "data-action": "again" });
  const keep = button(say(app, "saveModel"), () => void savedFiles(learningOf(name)!).then((files) => save(`attune-${name}.zip`, zipOf(files)), alert.show), { "data-action": "save", title: say(app, "saveHelp") });
  const bar = h("progress", { max: 1, "aria-label": app.t("learn") });
  const status = h("p", { class: "count", role: "status" });
  const place = h("div");
  const help = hint("");
  let view: ShownRuns | null = null, seen = "";

  const show = () => {
    const own = learningOf(name), active = learning() !== undefined && learning() === own;
    const runs = allLearnings().flatMap(({ name, run }) => (run ? [{ ...run, name: say(app, name) }] : []));
    go.textContent = say(app, active ? "pause" : own ? "goOn" : "start");
    go.disabled = own?.phase === "pausing" || (chosen.own && pairsOf(chosen.text).length < LEAST_PAIRS);
    again.hidden = !own || active;
    keep.hidden = !own || !hasModel(own);
    bar.hidden = !own?.progress;
    bar.value = own?.progress ? own.progress.updates / own.tuned.updates : 0;
    status.textContent = own ? statusOf(app, own) : "";
    alert.show(own?.failure ?? null);
    const names = runs.map(({ name, validations }) => `${name} ${validations.length > 0}`).join();
    if (view && names === seen) view.update(runs);
    else if (runs.length > 0) place.replaceChildren((view = showRuns(app, runs)).element);
    seen = names;
  };
  const count = () => (help.textContent = say(app, "pairsHelp", pairsOf(chosen.text).length));
  const text = h("textarea", { rows: 6, dir: "auto", spellcheck: "false", "data-name": "pairs", "aria-label": say(app, "pairsLabel"), placeholder: say(app, "pairsExample"), oninput: () => {
    chosen.text = text.value;
    count();
    show();
  } });
  text.value = chosen.text;
  count();

  const choose = (change: Partial<typeof chosen>) => {
    Object.assign(chosen, change);
    app.set({});
  };
  onLearning(show);
  app.onLeave(() => onLearning(() => undefined));
  show();
  return h(
    "section",
    { class: "learn" },
    hint(say(app, "help")),
    toolbar(
      select(say(app, "plan"), PLANS.map((value) => ({ value, label: say(app, value) })), name, (name) => choose({ name }), "plan"),
      select(say(app, "data"), [false, true].map((value) => ({ value, label: say(app, value ? "pairs" : "dates") })), chosen.own, (own) => choose({ own }), "data"),
      numberField(say(app, "rate"), "rate", 0, tunedOf(name).rate, (rate) => tune({ rate })),
      numberField(say(app, "updates"), "updates", 1, tunedOf(name).updates, (updates) => tune({ updates: Math.round(updates) })),
    ),
    chosen.own && h("div", { class: "sheet" }, text),
    chosen.own && help,
    toolbar(h("span", { class: "buttons" }, go, again, keep)),
    alert.element,
    bar,
    status,
    place,
  );
}
