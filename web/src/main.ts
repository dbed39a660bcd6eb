// The page: data, what is chosen, keys, and the view that is shown.
import { additions } from "./additions";
import { ASKING, FRESH, attentionOf, chosenHead, chosenOf, SCALES, sentenceOf, VIEWS, type App, type Look, type Offer, type State, type ViewName } from "./app";
import { BadData, nothing, readDocument, type Document } from "./data";
import { button, h, select } from "./dom";
import { lookBox, sourceField } from "./look_box";
import { reachable } from "./reachable";
import { loadModels, servedFor } from "./served_models";
import { fetchAttention, requestOf } from "./server";
import { shareBar } from "./share";
import { addressOf, keepState, readState } from "./state";
import { text, type TextKey } from "./texts";
import { compareView } from "./views/compare";
import { fillView } from "./views/fill";
import { handView } from "./views/hand";
import { headsView } from "./views/heads";
import { heatView } from "./views/heat";
import { modelView } from "./views/model";
import { positionsView } from "./views/positions";
import { sceneView } from "./views/scene";
import { statesView } from "./views/states";
import { stepsView } from "./views/steps";
import { storyView } from "./views/story";
import { trainingView } from "./views/training";
import { translateView } from "./views/translate";
import { writeView } from "./views/write";
import { hint } from "./toolbar";
import { changesBar } from "./what_if";

const views: Partial<Record<ViewName, (app: App) => HTMLElement>> = {
  translate: translateView,
  write: writeView,
  fill: fillView,
  scene: sceneView,
  heat: heatView,
  heads: headsView,
  model: modelView,
  steps: stepsView,
  compare: compareView,
  states: statesView,
  hand: handView,
  positions: positionsView,
  training: trainingView,
  story: storyView,
  ...additions.views,
};
const NEEDS_SENTENCE = new Set<ViewName>(["scene", "heat", "heads", "model", "steps", "compare", "states"]);

const root = document.getElementById("app")!;
let leaving: (() => void)[] = [];
let keys: ((event: KeyboardEvent) => boolean)[] = [];
let offered: Offer = { name: "attune" };
let bar: HTMLElement | null = null; // where it is offered
let failure = "";

const app: App = {
  document: nothing,
  state: readState(null),
  t: (key) => text(app.state.language, key),
  set(change) {
    Object.assign(app.state, change);
    keepState(app.state, true);
    render();
  },
  note(change, back = false) {
    Object.assign(app.state, change);
    keepState(app.state, back);
  },
  take(document, view, look, cell) {
    take(document);
    looked = JSON.stringify(look);
    app.set({ ...FRESH, view, look, cell: cell ?? null, zooms: look.q === app.state.look?.q ? app.state.zooms : {} });
  },
  offer(offer) {
    offered = offer;
    if (!bar) return;
    const next = shareBar(app, offer); // the view has got its data later
    bar.replaceWith(next);
    bar = next;
  },
  onLeave: (stop) => leaving.push(stop),
  onKey: (listener) => keys.push(listener),
};

// The views that have something to show here.
// Only a server answers, and only what is not words is drawn as what it is.
function shownViews(): ViewName[] {
  const asked = (view: ViewName) => app.document.server !== null && servedFor(view);
  return VIEWS.filter((view) => additions.shows(app, view) && (view === "scene" ? hasScenes() : !ASKING.has(view) || asked(view)));
}

function hasScenes(): boolean {
  return app.document.sentences.some((sentence) => sentence.models.some((model) => model.scenes.length > 0));
}

// The server stays the one that sent the page.
function take(document: Document): void {
  app.document = { ...document, server: document.server ?? app.document.server };
  failure = "";
}

// The nearest to what the address says.
function settle(): void {
  const { state } = app, shown = shownViews();
  if (!app.document.sentences[state.sentence]) state.sentence = 0;
  if (!sentenceOf(app)?.models[state.model]) state.model = 0;
  if (!shown.includes(state.view)) state.view = app.document.server ? shown[0]! : hasScenes() ? "scene" : "heat";
  if (app.document.sentences.length > 0 || app.document.server) return;
  if (NEEDS_SENTENCE.has(state.view)) state.view = app.document.runs.length > 0 ? "training" : "hand";
}

function fail(error: unknown): void {
  failure = error instanceof BadData || error instanceof Error ? error.message : String(error);
}

// ---- Shown
function header(): HTMLElement {
  const { state, t } = app;
  const sentence = sentenceOf(app), attention = attentionOf(app);
  const { sentences, title, text } = app.document;
  const needed = sentence && NEEDS_SENTENCE.has(state.view);
  return h(
    "header",
    {},
    h(
      "div",
      { class: "top" },
      h("h1", {}, title[state.language] || "attune"),
      h(
        "span",
        { class: "buttons" },
        button("?", showKeys, { "aria-label": t("keys"), title: t("keys") }),
        button(state.theme === "dark" ? "☾" : state.theme === "light" ? "☀" : "◐", nextTheme, { "aria-label": `${t("theme")}: ${t(state.theme)}`, title: `${t("theme")}: ${t(state.theme)}`, "data-name": "theme" }),
        button(t("language"), () => app.set({ language: state.language === "en" ? "zh" : "en" }), { "data-name": "language", lang: state.language === "en" ? "zh-CN" : "en" }),
      ),
    ),
    text[state.language] && h("p", { class: "hint" }, text[state.language]),
    needed &&
      h(
        "div",
        { class: "toolbar" },
        sentences.length > 1 &&
          select(
            t("sentence"),
            sentences.map((s, i) => ({ value: i, label: `${s.label ? `${s.label}: ` : ""}${shortened(s.models[0]?.source || s.models[0]?.target || "")}` })),
            state.sentence,
            (next) => app.set({ ...FRESH, sentence: next }),
            "sentence",
          ),
        sentence.models.length > 1 &&
          state.view !== "compare" &&
          select(t("modelName"), sentence.models.map((m, i) => ({ value: i, label: m.model })), state.model, (model) => app.set({ ...FRESH, model }), "model"),
      ),
    attention && needed && pair(),
    attention && needed && state.view !== "compare" && changesBar(app),
  );
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > 60 ? `${characters.slice(0, 59).join("")}…` : text;
}

function pair(): HTMLElement {
  const { source, target, forced, model, type } = attentionOf(app)!;
  const written = target !== "" && app.state.view !== "compare"; // there each model has its own
  const line = h(
    "p",
    { class: "pair" },
    sentenceOf(app)!.models.length === 1 && h("small", {}, model === type ? model : `${model} (${type})`),
    source && (app.document.server && app.state.look ? sourceField(app, source) : h("bdi", { class: "source" }, source)),
    source && written && h("span", { class: "arrow" }, "→"),
    written && h("bdi", { class: "target" }, target),
    written && type !== "bert" && h("small", {}, app.t(forced ? "forced" : "searched")), // BERT does not search
  );
  reachable(app, line);
  return line;
}

function tabs(): HTMLElement {
  const list = h("nav", { role: "tablist", "aria-label": app.t("views") });
  const shown = shownViews();
  shown.forEach((view, i) => {
    const chosen = view === app.state.view;
    list.append(
      h(
        "button",
        { type: "button", role: "tab", id: `tab-${view}`, "aria-selected": chosen, "aria-controls": "view", tabindex: chosen ? 0 : -1, title: i < 9 ? String(i + 1) : "", onclick: () => app.set({ view }) },
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
  offered = { name: "attune" };
  bar = null;
  const { theme, language } = app.state;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.documentElement.dataset.theme = theme;
  document.title = app.document.title[language] || `attune: ${app.t(app.state.view)}`;
  const main = h("main", { id: "view", role: "tabpanel", "aria-labelledby": `tab-${app.state.view}`, "data-view": app.state.view });
  root.replaceChildren(header(), tabs(), additions.notice?.() ?? "", main);
  main.append(shownView());
  root.append((bar = shareBar(app, offered)));
  document.getElementById(`tab-${app.state.view}`)?.scrollIntoView({ block: "nearest", inline: "center" });
  focus();
}

// An error in one view leaves the others.
function shownView(): HTMLElement {
  if (failure) return h("p", { class: "failure", role: "alert" }, app.t("cannotRead") + failure);
  if (NEEDS_SENTENCE.has(app.state.view) && !enough()) return app.document.server ? lookBox(app) : opener();
  try {
    return views[app.state.view]!(app);
  } catch (error) {
    return h("p", { class: "failure", role: "alert" }, app.t("cannotShow") + String(error instanceof Error ? error.message : error));
  }
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
  const count = Math.min(9, shownViews().length);
  const shown: TextKey[] = ["keyViews", "keyLayers", "keyHeads", "keyArrows", "keyZoom", "keyLog", "keySpace", "keyHelp"];
  if (app.document.server) shown.splice(1, 0, "keyTranslate");
  const single = h("input", { type: "checkbox", checked: app.state.keys, "data-name": "keys", onchange: () => app.note({ keys: single.checked }) });
  const dialog = h(
    "dialog",
    { "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
    h("h2", { id: "keys-title" }, app.t("keys")),
    h("ul", {}, ...shown.map((key) => h("li", {}, app.t(key).replace("#", String(count))))),
    h("p", {}, h("label", {}, single, ` ${app.t("singleKeys")}`)),
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
  const next = heads.indexOf(chosenHead(app, attention, chosen.layer)) + by;
  app.set({ head: heads[(next + heads.length) % heads.length] ?? "mean", lit: null });
}

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (target.matches("input:not([type=range]), select, textarea")) return;
  if (app.state.keys) {
    const view = shownViews()[Number(event.key) - 1];
    const actions: Record<string, () => void> = {
      "[": () => turn(-1, "layer"),
      "]": () => turn(1, "layer"),
      ",": () => turn(-1, "head"),
      ".": () => turn(1, "head"),
      l: () => app.set({ scale: SCALES[(SCALES.indexOf(app.state.scale) + 1) % SCALES.length] }),
      "?": showKeys,
    };
    if (view) return app.set({ view });
    if (actions[event.key]) return actions[event.key]!();
  }
  if (event.key === " " && target.matches("button, summary")) return;
  if (event.key.startsWith("Arrow") && target.matches("input")) return;
  if (keys.some((listener) => listener(event))) event.preventDefault();
});

// ---- Data: in the page, from a file, or from the server as the address says.
async function openFile(file: Blob): Promise<void> {
  try {
    take(await readDocument(JSON.parse(await file.text())));
    app.state.view = app.document.sentences.length > 0 ? "heat" : app.state.view;
    settle();
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

let looked = "null"; // what the document is of, as JSON

async function lookAgain(look: Look): Promise<void> {
  looked = JSON.stringify(look);
  try {
    take(await fetchAttention(requestOf(look)));
  } catch {
    app.document = { ...app.document, sentences: [] }; // the view asks for a sentence, and tells what is wrong
  }
}

// Somebody went back, or changed the address.
async function follow(): Promise<void> {
  if (location.hash === addressOf(app.state)) return;
  app.state = readState(opensAt());
  const { look } = app.state;
  if (app.document.server && look && JSON.stringify(look) !== looked) await lookAgain(look);
  settle();
  render();
}
window.addEventListener("hashchange", () => void follow());
window.addEventListener("popstate", () => void follow());

function opensAt(): ViewName | null {
  return VIEWS.find((view) => view === app.document.opens) ?? null;
}

async function load(): Promise<void> {
  const inside = document.getElementById("attune-data")?.textContent?.trim();
  try {
    take(inside ? await readDocument(JSON.parse(inside)) : nothing);
  } catch (error) {
    fail(error);
  }
  app.state = readState(opensAt());
  if (app.document.server) {
    await additions.begin?.(app, root);
    await loadModels().catch(() => undefined); // the first request tells what is wrong
    if (app.state.look) await lookAgain(app.state.look);
  }
  settle();
  render();
  root.querySelector<HTMLElement>("textarea")?.focus();
  root.dataset.ready = "yes";
}

void load();
