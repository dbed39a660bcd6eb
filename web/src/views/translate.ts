// A box that translates, sentence by sentence below it.
import { lookAt, type App } from "../app";
import { copyText } from "../copy";
import { button, digits, h, select } from "../dom";
import { below, caption, matrixFigure } from "../figure";
import { keyField } from "../key_field";
import { alertBox } from "../refusal";
import { sentenceCard } from "../sentence_card";
import { chosenModel, compareBoxes, modelSelect, modelsLoaded } from "../served_models";
import { fetchAttention, type AttendRequest } from "../server";
import { shadingOf } from "../maths";
import { hint, toolbar } from "../toolbar";
import { characters, chosenOutputs, chosenText, onTranslating, translate, translating } from "../translating";

const PAUSE = 400; // milliseconds without a key, then the text is translated

export function translateView(app: App): HTMLElement {
  const { longest } = app.document.server!;
  const alert = alertBox(app);
  let clock: number | undefined;

  const now = () => {
    clearTimeout(clock);
    void translate(app);
  };
  const soon = () => {
    clearTimeout(clock);
    clock = window.setTimeout(now, PAUSE);
  };
  const text = h("textarea", {
    rows: 7,
    dir: "auto",
    "data-name": "text",
    "aria-label": app.t("sourceText"),
    placeholder: app.t("typeText"),
    oninput: (event: InputEvent) => {
      app.note({ text: text.value, outputs: [] });
      showCount();
      if (!event.isComposing) soon();
    },
    oncompositionend: () => soon(), // of a Chinese word, say
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) now();
    },
  });
  text.value = app.state.text;
  const count = h("span", { class: "count" });
  const showCount = () => {
    const length = characters(text.value), over = length > longest;
    count.textContent = `${length.toLocaleString("en")} / ${longest.toLocaleString("en")}${over ? ` · ${app.t("tooLong")}` : ""}`;
    count.classList.toggle("over", over);
    text.setAttribute("aria-invalid", String(over));
  };

  const result = h("div", { class: "translation", dir: "auto", "aria-live": "polite", "aria-label": app.t("translation"), role: "region" });
  const time = h("span", { class: "count" });
  const copy = button(app.t("copy"), () => void copyText(result.textContent!).then(() => (copy.textContent = app.t("copied"))), { "data-action": "copy" });
  const cards = h("div", { class: "sentences" });

  const attend = async (request: AttendRequest) => {
    try {
      const seen = await fetchAttention(request);
      const models = typeof request.model === "string" ? [request.model] : request.model;
      if (app.state.view === "translate") app.take(seen, seen.sentences[0]!.models.length > 1 ? "compare" : "heat", lookAt(request.q, models, request.output ?? null));
    } catch (error) {
      alert.show(error);
    }
  };
  const chosen = () => chosenOutputs(app, translating.translation);
  const showText = () => (result.textContent = translating.translation ? chosenText(translating.translation, chosen()) : "");
  const choose = (sentence: number, output: number) => {
    app.note({ outputs: chosen().map((before, i) => (i === sentence ? output : before)) }, true);
    showText();
  };
  // Source, output, and what they looked at.
  const table = () => (translating.translation?.sentences ?? []).flatMap(({ source, source_tokens, outputs }, i) => {
    const { text, tokens, alignment } = outputs[chosen()[i]!]!;
    return [[source, text], ...(alignment && source_tokens ? [["", ...source_tokens], ...tokens.map((token, t) => [token, ...alignment[t]!.slice(0, source_tokens.length).map(digits)])] : [])];
  });
  const figure = () => below((translating.translation?.sentences ?? []).flatMap(({ source, source_tokens, outputs }, i) => {
    const { text, tokens, alignment } = outputs[chosen()[i]!]!;
    if (!alignment || !source_tokens) return [caption(`${source} → ${text}`)];
    const weights = Float32Array.from(tokens.flatMap((_, t) => alignment[t]!.slice(0, source_tokens.length)));
    const matrix = { queries: tokens.length, keys: source_tokens.length, weights };
    return [caption(`${source} → ${text}`), matrixFigure(matrix, tokens, source_tokens, shadingOf("max", [matrix]))];
  }));
  app.offer({ name: "translation", table, figure });
  const show = () => {
    const { translation, model, seconds, busy, failure } = translating, own = chosen();
    alert.show(failure);
    result.toggleAttribute("data-busy", busy);
    showText();
    time.textContent = translation ? `${seconds.toFixed(2)} s` : "";
    copy.disabled = !translation;
    copy.textContent = app.t("copy");
    if (busy && cards.hasChildNodes()) return; // the sentences stay as they are until there are new ones
    cards.replaceChildren(
      ...(translation?.sentences ?? []).map((sentence, i) =>
        sentenceCard(app, sentence, model!, own[i]!, { choose: (output) => choose(i, output), attend: (request) => void attend(request) }),
      ),
    );
    if (cards.childElementCount > 0 && model!.attends) cards.prepend(hint(app.t("wordsHelp")));
  };

  onTranslating(show);
  app.onLeave(() => {
    clearTimeout(clock);
    onTranslating(() => undefined);
  });
  showCount();
  show();
  void translate(app);
  return h(
    "section",
    { class: "translate" },
    toolbar(modelSelect(app), alternativesSelect(app), compareBoxes(app), keyField(app)),
    modelsLoaded() && !chosenModel(app) && hint(app.t("noModels")),
    alert.element,
    h(
      "div",
      { class: "desk" },
      h("div", { class: "sheet" }, text, h("div", { class: "foot" }, count, button(app.t("translateNow"), now, { class: "primary", title: "Ctrl+Enter" }))),
      h("div", { class: "sheet" }, result, h("div", { class: "foot" }, time, copy)),
    ),
    cards,
  );
}

function alternativesSelect(app: App): HTMLElement | null {
  const model = chosenModel(app);
  if (!model || model.beam_size < 2) return null;
  const choices = Array.from({ length: model.beam_size }, (_, value) => ({ value, label: value === 0 ? app.t("none") : String(value) }));
  const chosen = Math.min(app.state.alternatives, model.beam_size - 1);
  return select(app.t("alternatives"), choices, chosen, (alternatives) => app.set({ alternatives, outputs: [] }), "alternatives");
}
