// The models of the server, and the menus that choose among them.
import type { App, ViewName } from "./app";
import { h, select } from "./dom";
import { fetchModels, type ServedModel } from "./server";

const UNKNOWN = "und"; // a language that nobody named

let models: ServedModel[] | null = null; // null: not asked yet, or there was no answer

// Asks once; after a failure, again.
export async function loadModels(): Promise<void> {
  models ??= await fetchModels();
}

// With another key there may be an answer.
export function forgetModels(): void {
  models = null;
}

export const modelsLoaded = (): boolean => models !== null;

const TASKS: Partial<Record<ViewName, string>> = { translate: "translate", write: "generate", fill: "fill" };

// Those that a view is for. Views of attention are for all.
function servedModels(view: ViewName): ServedModel[] {
  const task = TASKS[view];
  return (models ?? []).filter((model) => task === undefined || model.task === task);
}

// Whether there is one; as long as nothing is known, there may be one that translates.
export const servedFor = (view: ViewName): boolean => (models === null ? view === "translate" : servedModels(view).length > 0);

export function chosenModel(app: App): ServedModel | undefined {
  const served = servedModels(app.state.view);
  return served.find(({ id }) => id === app.state.translator) ?? served[0];
}

// "en → de", and for a second model of the same languages what else it is called.
function nameOf({ id, source, target }: ServedModel): string {
  if (source === undefined || source === UNKNOWN) return id;
  const pair = `${source}-${target}`;
  return `${source} → ${target}${id === pair ? "" : ` · ${id.startsWith(`${pair}:`) ? id.slice(pair.length + 1) : id}`}`;
}

function labelOf(app: App, model: ServedModel): string {
  const count = new Intl.NumberFormat(app.state.language, { notation: "compact", maximumFractionDigits: 1 }).format(model.parameters);
  return `${nameOf(model)} (${model.type}, ${count}${app.t("parameters")})`;
}

export function modelSelect(app: App): HTMLElement | null {
  const chosen = chosenModel(app);
  if (!chosen) return null;
  const choices = servedModels(app.state.view).map((model) => ({ value: model.id, label: labelOf(app, model) }));
  return select(app.t("modelName"), choices, chosen.id, (translator) => app.set({ translator, outputs: [] }), "translator");
}

// ---- Models to compare with: those that read and write the same languages, and can be looked into.
const unticked = new Set<string>();

function rivals(app: App): ServedModel[] {
  const chosen = chosenModel(app);
  if (!chosen?.attends) return [];
  return servedModels("translate").filter((model) => model !== chosen && model.attends && model.source === chosen.source && model.target === chosen.target);
}

export const comparable = (app: App): boolean => rivals(app).length > 0;

export function comparedModels(app: App): string[] {
  return [chosenModel(app)!, ...rivals(app)].map(({ id }) => id).filter((id, i) => i === 0 || !unticked.has(id));
}

export function compareBoxes(app: App): HTMLElement | null {
  const others = rivals(app);
  if (others.length === 0) return null;
  const boxes = others.map((model) => {
    const { id } = model;
    const box = h("input", { type: "checkbox", checked: !unticked.has(id), "data-name": `compare-${id}`, onchange: () => (box.checked ? unticked.delete(id) : unticked.add(id)) });
    return h("label", {}, box, h("bdi", {}, `${nameOf(model)} (${model.type})`));
  });
  return h("fieldset", { class: "boxes" }, h("legend", {}, app.t("compareWith")), ...boxes);
}
