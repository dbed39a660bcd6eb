// What load() gives, wherever the engine runs.
import { readDocument } from "../src/data";
import type { Launch } from "../src/engine/engine";
import { compiled } from "../src/engine/fused";
import type { EngineFile } from "../src/engine/messages";
import { Team, teamSize } from "../src/engine/team";
import { partsOf } from "../src/parts";
import type { AttendOptions, Attention, Attune, GenerateOptions, LoadOptions, Model, ModelFiles, ModelSource, TranslateOptions, Translation } from "./index";

declare const ENGINE_WORKER: string; // worker.ts, bundled by build.mjs

// What differs between Node and a browser.
export interface Platform {
  launch(program: string): Launch;
  cores(): number | undefined;
  ownEngine(): Promise<{ program: string; binary: Uint8Array }>;
  filesOf(folder: string): Promise<ModelFiles>;
}

const USUAL_TOKENS = 60, USUAL_CHARACTERS = 10_000;

const isSource = (model: object): model is ModelSource => "model" in model && !(model.model instanceof Uint8Array);

function sourcesOf(model: string | ModelFiles | ModelSource | ModelSource[]): ModelSource[] {
  if (Array.isArray(model)) return model;
  return [typeof model === "object" && isSource(model) ? model : { model }];
}

class Loaded implements Attune {
  constructor(private readonly team: Team) {}

  fetch(path: string, init = {}): Promise<Response> {
    return this.team.fetch(path, init);
  }

  private async answered(path: string, request?: object, signal?: AbortSignal): Promise<Response> {
    const response = await this.fetch(path, request ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request), signal } : {});
    if (response.ok) return response;
    const { error } = await response.json();
    throw new Error(String(error.message ?? error)); // an object where the interface is OpenAI's
  }

  async models(): Promise<Model[]> {
    return (await (await this.answered("/v1/models")).json()).data;
  }

  private async modelFor(task: string): Promise<string> {
    const model = (await this.models()).find((each) => each.task === task);
    if (!model) throw new Error(`no model is open that can ${task}`);
    return model.id;
  }

  async translate(text: string, { model, outputs = 1, alignment = false, signal }: TranslateOptions = {}): Promise<Translation> {
    const request = { q: text, model: model ?? (await this.modelFor("translate")), n_best: outputs, alignment };
    return (await (await this.answered("/v1/translate", request, signal)).json()).translations[0];
  }

  async attend(text: string, { model, output, signal }: AttendOptions = {}): Promise<Attention> {
    const request = { q: text, model: model ?? (await this.models())[0]!.id, ...(output === undefined ? {} : { output }) };
    const document = await readDocument(await (await this.answered("/v1/attend", request, signal)).json());
    return document.sentences[0]!.models[0]!;
  }

  async *generate(prompt: string, { model, tokens = USUAL_TOKENS, temperature, top_k, seed, signal }: GenerateOptions = {}): AsyncGenerator<string> {
    const left = new AbortController(), stop = () => left.abort(signal!.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const request = { model: model ?? (await this.modelFor("generate")), prompt, max_tokens: tokens, temperature, top_k, seed, stream: true };
      yield* partsOf(await this.answered("/v1/completions", request, left.signal));
    } finally {
      signal?.removeEventListener("abort", stop);
      left.abort();
    }
  }

  close(): void {
    this.team.close();
  }
}

export async function loadOn(platform: Platform, model: Parameters<typeof sourcesOf>[0], { engine, characters = USUAL_CHARACTERS, workers }: LoadOptions = {}): Promise<Attune> {
  if (workers !== undefined && !(Number.isInteger(workers) && workers > 0)) throw new Error(`workers: a whole number from 1 on, not ${workers}`);
  const { program, binary } = engine ?? (await platform.ownEngine());
  const files: EngineFile[] = [];
  const models = [];
  for (const [i, { model: from, source = "", target = "" }] of sourcesOf(model).entries()) {
    const folder = `/models/${i}`, all = typeof from === "string" ? await platform.filesOf(from) : from;
    for (const [path, bytes] of Object.entries(all)) files.push({ path: `${folder}/${path}`, bytes });
    models.push({ folder, source, target });
  }
  const module = await compiled(binary);
  const parts = { launch: platform.launch(`${program}\n${ENGINE_WORKER}`), module, files, open: { models, runs: [], characters } };
  const team = new Team(parts, workers ?? teamSize(platform.cores(), parts));
  await team.begin();
  return new Loaded(team);
}
