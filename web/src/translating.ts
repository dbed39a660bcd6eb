// What came back for the text that is translated. It stays while other views are shown.
import type { App } from "./app";
import { chosenModel, loadModels, modelsLoaded } from "./served_models";
import { fetchTranslation, type ServedModel, type Translation } from "./server";

export interface Translating {
  translation: Translation | null;
  model: ServedModel | null; // that made it
  seconds: number;
  busy: boolean;
  failure: unknown; // null: none
}

export const translating: Translating = { translation: null, model: null, seconds: 0, busy: false, failure: null };

let answered = ""; // what the translation is of
let request: AbortController | null = null;
let listener: () => void = () => undefined;

export const onTranslating = (listen: () => void): void => void (listener = listen);

function change(next: Partial<Translating>): void {
  Object.assign(translating, next);
  listener();
}

export const characters = (text: string): number => [...text].length;

const outputsOf = (app: App, model: ServedModel): number => Math.min(app.state.alternatives + 1, model.beam_size);

const wanted = (app: App): string => JSON.stringify([app.state.text, chosenModel(app)?.id, app.state.alternatives]);

// Unless the translation is there. A request that is under way is given up.
export async function translate(app: App): Promise<void> {
  request?.abort();
  const own = (request = new AbortController());
  const { text } = app.state;
  if (text.trim() === "") {
    answered = "";
    return change({ translation: null, busy: false, failure: null });
  }
  if (wanted(app) === answered || characters(text) > app.document.server!.longest) return change({ busy: false, failure: null });
  change({ busy: true });
  try {
    if (!modelsLoaded()) {
      await loadModels();
      if (app.state.view === "translate") app.set({}); // with menus
      return;
    }
    const model = chosenModel(app);
    if (!model) return change({ busy: false });
    const asked = wanted(app), began = performance.now();
    const translation = await fetchTranslation(text, model, outputsOf(app, model), own.signal);
    answered = asked;
    change({ translation, model, seconds: (performance.now() - began) / 1000, busy: false, failure: null });
  } catch (failure) {
    if (own === request) change({ busy: false, failure });
  }
}

// For each sentence one of its outputs, as far as there are so many.
export const chosenOutputs = (app: App, translation: Translation | null): number[] =>
  (translation?.sentences ?? []).map(({ outputs }, i) => ((app.state.outputs[i] ?? 0) < outputs.length ? (app.state.outputs[i] ?? 0) : 0));

// The whole text with the outputs that were chosen.
export function chosenText({ text, sentences }: Translation, chosen: number[]): string {
  let result = "", at = 0;
  sentences.forEach(({ outputs }, i) => {
    const best = outputs[0]!.text, found = text.indexOf(best, at);
    if (found < 0) return;
    result += text.slice(at, found) + outputs[chosen[i] ?? 0]!.text;
    at = found + best.length;
  });
  return result + text.slice(at);
}
