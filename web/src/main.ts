// The page: data, what is chosen, keys, and the view that is shown.
import { attentionOf, chosenHead, chosenOf, sentenceOf, viewsOf, type App, type State, type ViewName } from "./app";
import { BadData, readDocument, type Document } from "./data";
import { button, h, select } from "./dom";
import { lookBox } from "./look_box";
import { loadModels } from "./served_models";
import { firstState, keepState } from "./state";
import { text, type TextKey } from "./texts";
import { compareView } from "./views/compare";
import { handView } from "./views/hand";
import { headsView } from "./views/heads";
import { heatView } from "./views/heat";
import { modelView } from "./views/model";
import { positionsView } from "./views/positions";
import { sceneView } from "./views/scene";
import { stepsView } from "./views/steps";
import { trainingView } from "./views/training";
import { translateView } from "./views/translate";
import { hint } from "./toolbar";

const views: Record<ViewName, (app: App) => HTMLElement> = {
  translate: translateView,
  scene: sceneView,
  heat: heatView,
  heads: headsView,
  model: modelView,
  steps: stepsView,
  compare: compareView,
  hand: handView,
  positions: positionsView,
  training: trainingView,
};
const NEEDS_SENTENCE = new Set<ViewName>(["scene", "heat", "heads", "model", "steps", "compare"]);

const root = document.getElementById("app")!;
const nothing: Document = { title: "", text: "", sentences: [], run: null, server: null };
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
  take(document, view) {
    take(document);
    app.set({ view });
  },
  onLeave: (stop) => leaving.push(stop),
  onKey: (listener) => keys.push(listener),
};

// The server stays the one that sent the page.
function take(document: Document): void {
  app.document = { ...document, server: document.server ?? app.document.server };
  failure = "";
  if (!document.sentences[app.state.sentence]) app.state.sentence = 0;
  if (!sentenceOf(app)?.models[app.state.model]) app.state.model = 0;
  if (!viewsOf(app.document).includes(app.state.view)) app.state.view = viewsOf(app.document).includes("scene") ? "scene" : "heat";
  if (document.sentences.length > 0 || app.document.server) return;
  if (NEEDS_SENTENCE.has(app.state.view)) app.state.view = document.run ? "training" : "hand";
}

function fail(error: unknown): void {
  failure = error instanceof BadData || error instanceof Error ? error.message : String(error);
}

// ---- Shown
function header(): HTMLElement {
  const { state, t } = app;
  const sentence = sentenceOf(app), attention = attentionOf(app);
  const { sentences, title, server } = app.document;
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
      (!server || NEEDS_SENTENCE.has(state.view)) &&
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
  const shown = viewsOf(app.document);
  shown.forEach((view, i) => {
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
    const view = shown[(shown.indexOf(app.state.view) + step + shown.length) % shown.length]!;
    app.set({ view });
    document.getElementById(`tab-${view}`)?.focus();
  });
  return list;
}

function render(): void {
  const focus = keptFocus();
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
  else if (NEEDS_SENTENCE.has(app.state.view) && !enough()) main.append(app.document.server ? lookBox(app) : opener());
  else main.append(views[app.state.view](app));
  document.getElementById(`tab-${app.state.view}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  focus();
}

// Is there what the view shows?
function enough(): boolean {
  const models = sentenceOf(app)?.models.length ?? 0;
  return models > (app.document.server && app.state.view === "compare" ? 1 : 0);
}

// Focus and caret, for the element that comes in the place of the one that has them.
function keptFocus(): () => void {
  const before = document.activeElement, name = before?.getAttribute("data-name");
  if (!name) return () => undefined;
  const caret = before instanceof HTMLTextAreaElement ? ([before.selectionStart, before.selectionEnd] as const) : null;
  return () => {
    const after = root.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"]`);
    after?.focus();
    if (caret && after instanceof HTMLTextAreaElement) after.setSelectionRange(...caret);
  };
}

function opener(): HTMLElement {
  const input = h("input", { type: "file", accept: ".json,application/json", onchange: () => input.files?.[0] && openFile(input.files[0]) });
  return h("div", {}, hint(app.t("empty")), h("label", { class: "open" }, h("span", {}, app.t("open")), input));
}

function showKeys(): void {
  const views = viewsOf(app.document).length;
  const shown: TextKey[] = ["keyViews", "keyLayers", "keyHeads", "keyArrows", "keyZoom", "keyLog", "keySpace", "keyHelp"];
  if (app.document.server) shown.splice(1, 0, "keyTranslate");
  const dialog = h(
    "dialog",
    { onclose: () => dialog.remove() },
    h("h2", {}, app.t("keys")),
    h("ul", {}, ...shown.map((key) => h("li", {}, app.t(key).replace("#", String(views))))),
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
  const view = viewsOf(app.document)[Number(event.key) - 1];
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

// ---- Data: in the page, or from a file.
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

async function load(): Promise<void> {
  const inside = document.getElementById("attune-data")?.textContent?.trim();
  try {
    take(inside ? await readDocument(JSON.parse(inside)) : nothing);
  } catch (error) {
    fail(error);
  }
  if (app.document.server) await loadModels().catch(() => undefined); // the first request tells what is wrong
  render();
  root.querySelector<HTMLElement>("textarea")?.focus();
  root.dataset.ready = "yes";
}

void load();
