// The server that sent the page: what it can be asked, and what it answers.
import { readDocument, type Document } from "./data";

// A model that translates has languages; one that only continues texts has none.
export interface ServedModel {
  id: string;
  type: string;
  parameters: number;
  beam_size: number;
  attends: boolean;
  source?: string;
  target?: string;
}

export interface Output {
  text: string;
  normalised: number; // what outputs are ranked by
  ended: boolean;
  tokens: string[];
  word_scores: number[]; // log p of each token, and of </s> if it ended
  alignment?: number[][]; // for each of them the weights of the source tokens
}

export interface TranslatedSentence {
  source: string;
  source_tokens?: string[];
  outputs: Output[]; // the best first
}

export interface Translation {
  text: string;
  sentences: TranslatedSentence[];
}

export interface AttendRequest {
  q: string;
  model: string | string[];
  output?: string; // the model is made to write it
}

// It answered, and refused; or status 0: it did not answer.
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly secondsToWait = 0,
  ) {
    super(message);
  }
}

const KEY = "attune-key";

export function apiKey(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage can be turned off
  }
}

export function keepApiKey(key: string): void {
  try {
    sessionStorage.setItem(KEY, key);
  } catch {
    // storage can be turned off
  }
}

async function reasonOf(response: Response): Promise<string> {
  try {
    const { error } = await response.json();
    return String(error.message ?? error); // an object where the interface is OpenAI's
  } catch {
    return response.statusText;
  }
}

// Rejects with a Refusal, or with the signal's AbortError.
async function ask(path: string, body?: object, signal?: AbortSignal): Promise<string> {
  const headers: Record<string, string> = apiKey() ? { Authorization: `Bearer ${apiKey()}` } : {};
  if (body) headers["Content-Type"] = "application/json";
  try {
    const response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
    if (!response.ok) throw new Refusal(response.status, await reasonOf(response), Number(response.headers.get("Retry-After")) || 0);
    return await response.text();
  } catch (error) {
    if (error instanceof Refusal || (error as Error).name === "AbortError") throw error;
    throw new Refusal(0, (error as Error).message);
  }
}

export async function fetchModels(): Promise<ServedModel[]> {
  return JSON.parse(await ask("/v1/models")).data;
}

export async function fetchTranslation(q: string, model: ServedModel, outputs: number, signal: AbortSignal): Promise<Translation> {
  const request = { q, model: model.id, n_best: outputs, alignment: model.attends };
  return JSON.parse(await ask("/v1/translate", request, signal)).translations[0];
}

export async function fetchAttention(request: AttendRequest): Promise<Document> {
  return readDocument(JSON.parse(await ask("/v1/attend", request)));
}

// The document as it was sent, so that one that has not changed is not read again.
export const fetchRun = (name: string, signal: AbortSignal): Promise<string> => ask(`/v1/run?name=${encodeURIComponent(name)}`, undefined, signal);
