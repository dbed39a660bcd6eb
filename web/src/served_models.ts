// The models of the server, and the menus that choose among them.
import type { App } from "./app";
import { h, select } from "./dom";
import { fetchModels, type ServedModel } from "./server";

let models: ServedModel[] | null = null; // null: not asked yet, or there was no answer

// Those that translate. Asks once; after a failure, again.
export async function loadModels(): Promise<void> {
  models ??= (await fetchModels()).filter((model) => model.source !== undefined);
}

// With another key there may be an answer.
export function forgetModels(): void {
  models = null;
}

export const modelsLoaded = (): boolean => models !== null;
const servedModels = (): readonly ServedModel[] => models ?? [];

export function chosenModel(app: App): ServedModel | undefined {
  return servedModels().find(({ id }) => id === app.state.translator) ?? servedModels()[0];
}

// "en → de", and for a second model of the same languages what else it is called.
function nameOf({ id, source, target }: ServedModel): string {
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
  const choices = servedModels().map((model) => ({ value: model.id, label: labelOf(app, model) }));
  return select(app.t("modelName"), choices, chosen.id, (translator) => app.set({ translator }), "translator");
}

// ---- Models to compare with: those that read and write the same languages, and can be looked into.
const unticked = new Set<string>();

function rivals(app: App): ServedModel[] {
  const chosen = chosenModel(app);
  if (!chosen?.attends) return [];
  return servedModels().filter((model) => model !== chosen && model.attends && model.source === chosen.source && model.target === chosen.target);
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
