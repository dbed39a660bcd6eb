// Several workers, each with an engine and models of its own. The first answers whatever is asked; the others translate their
// shares of long texts, and start when the first such text comes. The same models write the same, so shares change no output.
import { engineFetch, responseOf, type Answer, type Asked } from "./answers";
import { Engine, EngineFailure, type EngineParts } from "./engine";

const LONG = 200; // characters: less is translated sooner than shared
const MOST = 4; // workers
const MOST_BYTES = 256e6; // of all their models

// As many as there are cores, as long as the models are small. A browser need not tell how many it has.
export function teamSize(cores: number | undefined, { files }: EngineParts): number {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 1);
  return Math.max(1, Math.min(cores ?? 1, MOST, Math.floor(MOST_BYTES / bytes)));
}

interface Sentence {
  source: string;
  outputs: { text: string }[];
}

interface Translated {
  translations: [{ text: string; sentences: Sentence[] }];
}

export class Team {
  private readonly engines: Engine[];

  constructor(parts: EngineParts, size: number) {
    this.engines = Array.from({ length: size }, () => new Engine(parts));
  }

  begin(): Promise<void> {
    return this.engines[0]!.begin();
  }

  close(): void {
    for (const engine of this.engines) engine.close();
  }

  async fetch(path: string, asked: Asked = {}): Promise<Response> {
    const { method, body = "", headers = {}, signal } = asked;
    if (this.engines.length > 1 && method === "POST" && path === "/v1/translate" && body.length > LONG) {
      const shared = await this.shared({ method, path, body, headers }, signal);
      if (shared) return responseOf(shared);
    }
    return engineFetch(this.engines[0]!, path, asked);
  }

  // Null: one engine should answer, because there is nothing to share or something is wrong with the request.
  private async shared(request: { body: string; [field: string]: unknown }, signal?: AbortSignal): Promise<Answer | null> {
    const first = this.engines[0]!;
    try {
      const fields = JSON.parse(request.body);
      if (typeof fields.q !== "string" || fields.q.length < LONG) return null;
      const { shares } = await first.call("share", { ...request, most: this.engines.length }, signal);
      if (shares.length < 2) return null;
      const answers: Answer[] = await Promise.all(
        shares.map((q: string, i: number) => this.engines[i]!.call("answer", { ...request, body: JSON.stringify({ ...fields, q }) }, signal)),
      );
      const translated: Translated[] = answers.map(({ status, body }) => {
        if (status !== 200) throw new EngineFailure(body);
        return JSON.parse(body);
      });
      const sentences = translated.flatMap(({ translations: [one] }) => one.sentences);
      const { text } = await first.call("join", { ...request, sentences: sentences.map(({ source, outputs }) => ({ source, output: outputs[0]!.text })) }, signal);
      return { ...answers[0]!, body: JSON.stringify({ ...translated[0], translations: [{ text, sentences }] }) };
    } catch (error) {
      if (error instanceof EngineFailure || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}
