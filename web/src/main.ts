// The page: data, what is chosen, keys, and the view that is shown.
import { attentionOf, chosenHead, chosenOf, sentenceOf, VIEWS, type App, type State, type ViewName } from "./app";
import { BadData, readDocument, type Document } from "./data";
import { button, h, select } from "./dom";
import { firstState, keepState } from "./state";
import { text } from "./texts";
import { compareView } from "./views/compare";
import { handView } from "./views/hand";
import { headsView } from "./views/heads";
import { heatView } from "./views/heat";
import { modelView } from "./views/model";
import { positionsView } from "./views/positions";
import { stepsView } from "./views/steps";
import { trainingView } from "./views/training";
import { hint } from "./toolbar";

const views: Record<ViewName, (app: App) => HTMLElement> = {
  heat: heatView,
  heads: headsView,
  model: modelView,
  steps: stepsView,
  compare: compareView,
  hand: handView,
  positions: positionsView,
  training: trainingView,
};
const NEEDS_SENTENCE = new Set<ViewName>(["heat", "heads", "model", "steps", "compare"]);

const root = document.getElementById("app")!;
const nothing: Document = { title: "", text: "", sentences: [], run: null };
let leaving: (() => void)[] = [];
let keys: ((event: KeyboardEvent) => boolean)[] = [];
let failure = "";

const app: App = {
  document: nothing,
  state: firstState(),
  t: (key) => text(app.state.language, key),
  set(change) {
    Object.assign(app.state, change);
    keepState(app.state);
    render();
  },
  onLeave: (stop) => leaving.push(stop),
  onKey: (listener) => keys.push(listener),
};

function take(document: Document): void {
  app.document = document;
  failure = "";
  if (!document.sentences[app.state.sentence]) app.state.sentence = 0;
  if (!sentenceOf(app)?.models[app.state.model]) app.state.model = 0;
  if (document.sentences.length === 0) {
    if (NEEDS_SENTENCE.has(app.state.view)) app.state.view = document.run ? "training" : "hand";
  }
}

function fail(error: unknown): void {
  failure = error instanceof BadData || error instanceof Error ? error.message : String(error);
}

// ---- Shown
function header(): HTMLElement {
  const { state, t } = app;
  const sentence = sentenceOf(app), attention = attentionOf(app);
  const { sentences, title } = app.document;
  return h(
    "header",
    {},
    h(
      "div",
      { class: "top" },
      h("h1", {}, title || "attune"),
      h(
        "span",
        { class: "buttons" },
        button("?", showKeys, { "aria-label": t("keys"), title: t("keys") }),
        button(state.theme === "dark" ? "☾" : state.theme === "light" ? "☀" : "◐", nextTheme, { "aria-label": t("theme"), title: `${t("theme")}: ${t(state.theme)}`, "data-name": "theme" }),
        button(t("language"), () => app.set({ language: state.language === "en" ? "zh" : "en" }), { "data-name": "language" }),
      ),
    ),
    app.document.text && h("p", { class: "hint" }, app.document.text),
    sentence &&
      h(
        "div",
        { class: "toolbar" },
        sentences.length > 1 &&
          select(
            t("sentence"),
            sentences.map((s, i) => ({ value: i, label: `${s.label ? `${s.label}: ` : ""}${shortened(s.models[0]?.source || s.models[0]?.target || "")}` })),
            state.sentence,
            (next) => app.set({ sentence: next }),
            "sentence",
          ),
        sentence.models.length > 1 &&
          state.view !== "compare" &&
          select(t("modelName"), sentence.models.map((m, i) => ({ value: i, label: m.model })), state.model, (model) => app.set({ model }), "model"),
      ),
    attention && NEEDS_SENTENCE.has(state.view) && pair(),
  );
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > 60 ? `${characters.slice(0, 59).join("")}…` : text;
}

function pair(): HTMLElement {
  const { source, target, forced, model, type } = attentionOf(app)!;
  const written = target !== "" && app.state.view !== "compare"; // there each model has its own
  return h(
    "p",
    { class: "pair" },
    sentenceOf(app)!.models.length === 1 && h("small", {}, model === type ? model : `${model} (${type})`),
    source && h("bdi", { class: "source" }, source),
    source && written && h("span", { class: "arrow" }, "→"),
    written && h("bdi", { class: "target" }, target),
    written && h("small", {}, app.t(forced ? "forced" : "searched")),
  );
}

function tabs(): HTMLElement {
  const list = h("nav", { role: "tablist", "aria-label": app.t("views") });
  VIEWS.forEach((view, i) => {
    const chosen = view === app.state.view;
    list.append(
      h(
        "button",
        { type: "button", role: "tab", id: `tab-${view}`, "aria-selected": chosen, "aria-controls": "view", tabindex: chosen ? 0 : -1, title: String(i + 1), onclick: () => app.set({ view }) },
        app.t(view),
      ),
    );
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const view = VIEWS[(VIEWS.indexOf(app.state.view) + step + VIEWS.length) % VIEWS.length]!;
    app.set({ view });
    document.getElementById(`tab-${view}`)?.focus();
  });
  return list;
}

function render(): void {
  const focused = document.activeElement?.getAttribute("data-name");
  for (const stop of leaving) stop();
  leaving = [];
  keys = [];
  const { theme, language } = app.state;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.documentElement.dataset.theme = theme;
  document.title = app.document.title || `attune: ${app.t(app.state.view)}`;
  const main = h("main", { id: "view", role: "tabpanel", "aria-labelledby": `tab-${app.state.view}`, "data-view": app.state.view });
  root.replaceChildren(header(), tabs(), main);
  if (failure) main.append(h("p", { class: "failure", role: "alert" }, app.t("cannotRead") + failure));
  else if (NEEDS_SENTENCE.has(app.state.view) && app.document.sentences.length === 0) main.append(opener());
  else main.append(views[app.state.view](app));
  document.getElementById(`tab-${app.state.view}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (focused) root.querySelector<HTMLElement>(`[data-name="${focused}"]`)?.focus();
}

function opener(): HTMLElement {
  const input = h("input", { type: "file", accept: ".json,application/json", onchange: () => input.files?.[0] && openFile(input.files[0]) });
  return h("div", {}, hint(app.t("empty")), h("label", { class: "open" }, h("span", {}, app.t("open")), input));
}

function showKeys(): void {
  const dialog = h(
    "dialog",
    { onclose: () => dialog.remove() },
    h("h2", {}, app.t("keys")),
    h("ul", {}, ...(["keyViews", "keyLayers", "keyHeads", "keyArrows", "keyZoom", "keyLog", "keySpace", "keyHelp"] as const).map((key) => h("li", {}, app.t(key)))),
    h("form", { method: "dialog" }, h("button", {}, app.t("close"))),
  );
  root.append(dialog);
  dialog.showModal();
}

function nextTheme(): void {
  const order: State["theme"][] = ["system", "light", "dark"];
  app.set({ theme: order[(order.indexOf(app.state.theme) + 1) % 3]! });
}

// ---- Keys
function turn(by: number, what: "layer" | "head"): void {
  const attention = attentionOf(app), chosen = attention && chosenOf(app, attention);
  if (!chosen) return;
  if (what === "layer") return app.set({ layer: Math.max(0, Math.min(chosen.layers.length - 1, chosen.at + by)) });
  const heads: (number | null)[] = [null, ...chosen.layer.heads];
  const next = heads.indexOf(chosenHead(app, chosen.layer)) + by;
  app.set({ head: heads[(next + heads.length) % heads.length]! });
}

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (target.matches("input:not([type=range]), select, textarea")) return;
  const view = VIEWS[Number(event.key) - 1];
  const actions: Record<string, () => void> = {
    "[": () => turn(-1, "layer"),
    "]": () => turn(1, "layer"),
    ",": () => turn(-1, "head"),
    ".": () => turn(1, "head"),
    l: () => app.set({ log: !app.state.log }),
    "?": showKeys,
  };
  if (view) return app.set({ view });
  if (actions[event.key]) return actions[event.key]!();
  if (event.key === " " && target.matches("button")) return;
  if (event.key.startsWith("Arrow") && target.matches("input")) return;
  if (keys.some((listener) => listener(event))) event.preventDefault();
});

// ---- Data: in the page, from the server that sent it, or from a file.
async function openFile(file: Blob): Promise<void> {
  try {
    take(await readDocument(JSON.parse(await file.text())));
    app.state.view = app.document.sentences.length > 0 ? "heat" : app.state.view;
  } catch (error) {
    fail(error);
  }
  render();
}

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) void openFile(file);
});

const SECONDS_BETWEEN_LOOKS = 5; // at a run that goes on

// From a server; a run is looked at again and again.
async function follow(address: string, before = ""): Promise<void> {
  const text = await (await fetch(address)).text();
  if (text !== before) take(await readDocument(JSON.parse(text)));
  if (text !== before && before !== "") render();
  if (app.document.run) setTimeout(() => void follow(address, text).catch(() => undefined), 1000 * SECONDS_BETWEEN_LOOKS);
}

async function load(): Promise<void> {
  const inside = document.getElementById("attune-data")?.textContent?.trim();
  const address = new URLSearchParams(location.search).get("data");
  try {
    if (inside) take(await readDocument(JSON.parse(inside)));
    else if (address && location.protocol.startsWith("http")) await follow(address);
    else take(nothing);
  } catch (error) {
    fail(error);
  }
  render();
  root.dataset.ready = "yes";
}

void load();
