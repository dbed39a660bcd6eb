// A text with masks, and what a model that reads in both directions would put there.
import { lookAt, type App } from "../app";
import { button, h, percent, shown } from "../dom";
import { below, caption, tableFigure } from "../figure";
import { keyField } from "../key_field";
import { alertBox } from "../refusal";
import { chosenModel, modelSelect } from "../served_models";
import { fetchAttention, fetchFilled, type Candidate } from "../server";
import { hint, toolbar } from "../toolbar";
import { candidateBars } from "./write";

const PAUSE = 350, CANDIDATES = 8;
const MASK = "[MASK]";

// Words as people see them: what stands between blanks, and single characters of scripts without blanks.
const WORDS = /\[MASK\]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{P}]+|\p{P}/gu;

export function fillView(app: App): HTMLElement {
  const alert = alertBox(app);
  const words = h("p", { class: "words maskable" }), place = h("div", { class: "cards" });
  let clock: number | undefined, request = new AbortController(), masks: Candidate[][] = [];
  const model = chosenModel(app);
  const text = h("textarea", {
    rows: 3,
    dir: "auto",
    "data-name": "text",
    "aria-label": app.t("maskedText"),
    placeholder: app.t("typeMasked"),
    oninput: () => change(text.value, false),
  });
  text.value = app.state.text;
  const change = (next: string, back = true) => {
    if (text.value !== next) text.value = next;
    app.note({ text: next }, back);
    showWords();
    clearTimeout(clock);
    clock = window.setTimeout(() => void look(), PAUSE);
  };
  const showWords = () =>
    words.replaceChildren(
      ...[...text.value.matchAll(WORDS)].flatMap(({ 0: word, index }) => {
        const gap = /\s$/.test(text.value.slice(0, index)) ? " " : "";
        const masked = word === MASK;
        return [gap, button(masked ? "▢" : word, () => !masked && change(text.value.slice(0, index) + MASK + text.value.slice(index! + word.length)), { class: masked ? "word own" : "word", title: app.t("maskThis"), "aria-label": masked ? MASK : `${app.t("maskThis")}: ${word}` })];
      }),
    );
  const look = async () => {
    request.abort();
    const { signal } = (request = new AbortController());
    if (!model || !text.value.includes(MASK)) {
      masks = [];
      return place.replaceChildren();
    }
    try {
      masks = await fetchFilled(model.id, text.value, CANDIDATES, signal);
      alert.show(null);
      place.replaceChildren(...masks.map((candidates, i) => h("div", { class: "card" }, h("h3", {}, `${app.t("mask")} ${i + 1}`), candidateBars(candidates, (candidate) => change(candidate.text)))));
    } catch (error) {
      if (!signal.aborted) alert.show(error);
    }
  };
  const attend = button(
    app.t("showAttention"),
    () => {
      if (!model || text.value.trim() === "") return text.focus();
      fetchAttention({ q: text.value, model: model.id }).then((seen) => app.take(seen, "heat", lookAt(text.value, [model.id])), (error) => alert.show(error));
    },
    { "data-action": "attend" },
  );
  app.onLeave(() => {
    clearTimeout(clock);
    request.abort();
  });
  app.offer({
    name: "masks",
    table: () => [["mask", "token", "p"], ...masks.flatMap((candidates, i) => candidates.map(({ token, p }) => [String(i + 1), token, String(p)]))],
    figure: () => below([caption(text.value), ...masks.map((candidates) => tableFigure(candidates.map(({ token, p }) => [{ text: shown(token) }, { text: percent(p) }])))]),
  });
  showWords();
  void look();
  return h(
    "section",
    { class: "translate" },
    toolbar(modelSelect(app), keyField(app)),
    hint(app.t("fillHelp")),
    alert.element,
    h("div", { class: "sheet" }, text, h("div", { class: "foot" }, h("span"), attend)),
    words,
    place,
  );
}
