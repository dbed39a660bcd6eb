// One sentence of a translation: its words, other outputs, and ways to look into the model.
import type { App } from "./app";
import { button, h, signed } from "./dom";
import { comparable, comparedModels } from "./served_models";
import type { AttendRequest, Output, ServedModel, TranslatedSentence } from "./server";
import { hint } from "./toolbar";
import { wordPair } from "./word_pair";

export interface CardActions {
  choose(output: number): void;
  attend(request: AttendRequest): void;
}

export function sentenceCard(app: App, sentence: TranslatedSentence, model: ServedModel, first: number, actions: CardActions): HTMLElement {
  const card = h("article", { class: "card sentence" });
  const fill = (chosen: number) => {
    const output = sentence.outputs[chosen]!;
    const choose = (next: number) => {
      actions.choose(next);
      fill(next);
      card.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
    };
    const others = outputs(app, sentence.outputs, chosen, choose);
    card.replaceChildren(wordPair(app, sentence, output));
    if (!output.ended) card.append(hint(app.t("notEnded")));
    if (others) card.append(others);
    if (model.attends) card.append(attention(app, sentence.source, model, chosen === 0 ? null : output, actions));
  };
  fill(first);
  return card;
}

// Each text once: the same one can be written with other tokens.
function outputs(app: App, all: Output[], chosen: number, choose: (output: number) => void): HTMLElement | null {
  const different = all.map((output, i) => ({ output, i })).filter(({ output, i }) => all.findIndex(({ text }) => text === output.text) === i);
  if (different.length < 2) return null;
  return h(
    "ol",
    { class: "outputs", "aria-label": app.t("alternatives") },
    ...different.map(({ output, i }) =>
      h("li", {}, h("button", { type: "button", "aria-pressed": i === chosen, onclick: () => choose(i) }, h("bdi", {}, output.text), h("small", { title: app.t("scoreHelp") }, signed(output.normalised, 2)))),
    ),
  );
}

function attention(app: App, q: string, model: ServedModel, other: Output | null, actions: CardActions): HTMLElement {
  const look = (models: string | string[], output?: string) => actions.attend({ q, model: models, output });
  const field = h("input", { type: "text", value: other?.text ?? "", "aria-label": app.t("ownOutput"), placeholder: app.t("ownOutput") });
  const form = h(
    "form",
    {
      class: "ask",
      onsubmit: (event: Event) => {
        event.preventDefault();
        if (field.value.trim() !== "") look(model.id, field.value.trim());
      },
    },
    field,
    h("button", {}, app.t("showAttention")),
  );
  return h(
    "div",
    { class: "toolbar looks" },
    button(app.t("showAttention"), () => look(model.id, other?.text), { "data-action": "attend" }),
    comparable(app) && button(app.t("compareModels"), () => look(comparedModels(app)), { "data-action": "compare" }),
    h("details", {}, h("summary", {}, app.t("ownOutput")), form),
  );
}
