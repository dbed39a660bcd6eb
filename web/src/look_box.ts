// A sentence to look into, for the views that need one.
import { lookAt, sentenceOf, type App } from "./app";
import { h } from "./dom";
import { LETTER, widthOf } from "./figure";
import { keyField } from "./key_field";
import { alertBox } from "./refusal";
import { chosenModel, comparable, compareBoxes, comparedModels, loadModels, modelSelect } from "./served_models";
import { fetchAttention, Refusal, requestOf } from "./server";
import { hint, toolbar } from "./toolbar";

export function lookBox(app: App): HTMLElement {
  const { view } = app.state, comparing = view === "compare";
  const alert = alertBox(app);
  const look = async () => {
    if (field.value.trim() === "") return field.focus();
    go.disabled = true;
    try {
      await loadModels();
      const model = chosenModel(app);
      if (!model) return alert.show(new Refusal(404, app.t("noModels")));
      const q = field.value.trim(), models = comparing ? comparedModels(app) : [model.id];
      const seen = await fetchAttention({ q, model: models });
      if (app.state.view === view) app.take(seen, view, lookAt(q, models));
    } catch (error) {
      alert.show(error);
    } finally {
      go.disabled = false;
    }
  };
  const known = app.state.look?.q || sentenceOf(app)?.models[0]?.source || app.state.text.trim().split("\n")[0]!;
  const field = h("input", { type: "text", value: known, placeholder: app.t("typeSentence"), "aria-label": app.t("sentence"), "data-name": "look" });
  const go = h("button", { class: "primary" }, app.t("look"));
  const submit = (event: Event) => {
    event.preventDefault();
    void look();
  };
  if (comparing && chosenModel(app) && !comparable(app)) return h("div", {}, toolbar(modelSelect(app), keyField(app)), hint(app.t("oneModelServed")));
  return h(
    "section",
    { class: "card" },
    hint(app.t(comparing ? "compareHelp" : "lookHelp")),
    toolbar(modelSelect(app), comparing ? compareBoxes(app) : null, keyField(app)),
    h("form", { class: "ask", onsubmit: submit }, field, go),
    alert.element,
  );
}

// The sentence that is looked into, where a server can look again: change a word, and output and attention follow.
export function sourceField(app: App, source: string): HTMLElement {
  const alert = alertBox(app), { look, view } = app.state;
  const again = async (event: Event) => {
    event.preventDefault();
    const q = field.value.trim();
    if (q === "" || q === source || !look || field.disabled) return; // Enter changes the field and submits it
    field.disabled = true;
    try {
      const next = { ...lookAt(q, look.models), off: look.off }; // other words, the same heads
      const seen = await fetchAttention(requestOf(next));
      if (app.state.view === view) app.take(seen, view, next);
    } catch (error) {
      alert.show(error);
    } finally {
      field.disabled = false;
    }
  };
  const field = h("input", { type: "text", value: source, dir: "auto", size: Math.min(60, Math.max(12, Math.ceil(widthOf(source) / LETTER))), "aria-label": app.t("changeWord"), title: app.t("changeWord"), "data-name": "source", onchange: again });
  return h("form", { class: "source", onsubmit: again }, field, alert.element);
}
