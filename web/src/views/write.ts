// A text that a language model continues, token by token or by itself.
import { lookAt, type App } from "../app";
import { button, h, percent, s, select, shown } from "../dom";
import { caption, below, tableFigure } from "../figure";
import { keyField } from "../key_field";
import { alertBox } from "../refusal";
import { chosenModel, modelSelect } from "../served_models";
import { fetchAttention, fetchNext, streamText, type Candidate } from "../server";
import { hint, toolbar } from "../toolbar";
import { characters } from "../translating";

const PAUSE = 350; // milliseconds without a key, then the candidates are asked for
const CANDIDATES = 12, TOKENS = 60;

export function candidateBars(candidates: Candidate[], take: (candidate: Candidate) => void): HTMLElement {
  return h(
    "div",
    { class: "bars" },
    ...candidates.map((candidate) =>
      h(
        "button",
        { type: "button", class: "bar", "data-p": candidate.p, onclick: () => take(candidate) },
        h("bdi", {}, shown(candidate.token)),
        s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { width: 100 * candidate.p, height: 10 })),
        h("span", { class: "number" }, percent(candidate.p)),
      ),
    ),
  );
}

export function writeView(app: App): HTMLElement {
  const { longest } = app.document.server!;
  const alert = alertBox(app);
  const place = h("div");
  let clock: number | undefined, request = new AbortController(), candidates: Candidate[] = [];
  const model = chosenModel(app);

  const text = h("textarea", {
    rows: 7,
    dir: "auto",
    "data-name": "text",
    "aria-label": app.t("prompt"),
    placeholder: app.t("typePrompt"),
    oninput: (event: InputEvent) => {
      app.note({ text: text.value });
      if (!event.isComposing) soon();
    },
    oncompositionend: () => soon(),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void write();
    },
  });
  text.value = app.state.text;
  const soon = () => {
    clearTimeout(clock);
    clock = window.setTimeout(() => void look(), PAUSE);
  };
  const put = (next: string, back = false) => {
    text.value = next;
    app.note({ text: next }, back);
  };
  // One request at a time: what is under way is given up.
  const only = () => {
    clearTimeout(clock);
    request.abort();
    return (request = new AbortController()).signal;
  };
  const attempt = async (action: (signal: AbortSignal) => Promise<void>) => {
    const signal = only();
    try {
      await action(signal);
      if (!signal.aborted) alert.show(null);
    } catch (error) {
      if (!signal.aborted) alert.show(error);
    }
  };
  const look = () =>
    attempt(async (signal) => {
      if (!model || characters(text.value) > longest) return;
      candidates = await fetchNext(model.id, text.value, CANDIDATES, signal);
      place.replaceChildren(candidateBars(candidates, take));
    });
  const take = (candidate: Candidate) => {
    put(candidate.text, true);
    void look();
  };
  const write = () =>
    attempt(async (signal) => {
      if (!model) return;
      going(true);
      try {
        const request = { model: model.id, prompt: text.value, max_tokens: TOKENS, temperature: app.state.temperature, ...(app.state.topK > 0 ? { top_k: app.state.topK } : {}) };
        await streamText(request, signal, (more) => put(text.value + more, text.value === request.prompt));
      } finally {
        going(false);
      }
      soon();
    });
  const start = button(app.t("writeOn"), () => void write(), { class: "primary", "data-action": "write", title: "Ctrl+Enter" });
  const stop = button(app.t("stop"), () => void look(), { "data-action": "stop", hidden: true });
  const going = (on: boolean) => {
    stop.hidden = !on;
    start.disabled = on;
  };
  const one = button(app.t("oneToken"), () => candidates[0] && take(candidates[0]), { "data-action": "one" });
  const attend = button(
    app.t("showAttention"),
    () =>
      void attempt(async () => {
        if (!model || text.value === "") return text.focus();
        const seen = await fetchAttention({ q: text.value, model: model.id });
        app.take(seen, "heat", lookAt(text.value, [model.id]));
      }),
    { "data-action": "attend" },
  );
  const warmth = h("output", {}, app.state.temperature.toFixed(1));
  const slider = h("input", { type: "range", min: 0, max: 2, step: 0.1, value: app.state.temperature, "data-name": "temperature", oninput: () => {
    app.note({ temperature: Number(slider.value) });
    warmth.textContent = app.state.temperature.toFixed(1);
  } });
  const kept = select(app.t("topK"), [0, 1, 5, 20, 50].map((value) => ({ value, label: value === 0 ? app.t("all") : String(value) })), app.state.topK, (topK) => app.set({ topK }), "top-k");

  app.onLeave(() => void only());
  app.offer({
    name: "next",
    table: () => [["token", "p"], ...candidates.map(({ token, p }) => [token, String(p)])],
    figure: () => below([caption(text.value.slice(-80) || "…"), tableFigure(candidates.map(({ token, p }) => [{ text: shown(token) }, { text: percent(p) }]))]),
  });
  void look();
  return h(
    "section",
    { class: "translate" },
    toolbar(modelSelect(app), h("label", { title: app.t("temperatureHelp") }, h("span", {}, app.t("temperature")), slider, warmth), kept, keyField(app)),
    alert.element,
    h(
      "div",
      { class: "desk" },
      h("div", { class: "sheet" }, text, h("div", { class: "foot" }, h("span", { class: "buttons" }, one, attend), h("span", { class: "buttons" }, stop, start))),
      h("div", { class: "card" }, h("h3", {}, app.t("candidates")), place, hint(app.t("writeHelp"))),
    ),
  );
}
