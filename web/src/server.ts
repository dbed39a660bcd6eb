// The server that sent the page: what it can be asked, and what it answers.
import { additions } from "./additions";
import type { HeadAt, Look } from "./app";
import { readDocument, type Document } from "./data";
import { partsOf } from "./parts";

// A model that translates has languages; others have none.
export interface ServedModel {
  id: string;
  type: string;
  task: string; // the command for such models: translate, generate, fill
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
  begin?: string[]; // tokens that its search has to begin with
  heads_off?: object[];
  look_at?: object[];
  numbers?: boolean; // with what the weights were computed from
  matrices?: object; // the head whose matrices come with them
  gradients?: boolean;
}

const headOf = ({ head, ...rest }: HeadAt): object => (head === null ? rest : { ...rest, head });

export function requestOf({ q, models, output, begin, off, moved }: Look): AttendRequest {
  const request: AttendRequest = { q, model: models.length === 1 ? models[0]! : models };
  if (output !== null) request.output = output;
  if (begin.length > 0) request.begin = begin;
  if (off.length > 0) request.heads_off = off.map(headOf);
  if (moved.length > 0) request.look_at = moved.map(headOf);
  return request;
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
async function respond(path: string, body?: object, signal?: AbortSignal, more: Record<string, string> = {}): Promise<Response> {
  const headers: Record<string, string> = apiKey() ? { Authorization: `Bearer ${apiKey()}`, ...more } : more;
  if (body) headers["Content-Type"] = "application/json";
  try {
    const response = await additions.fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal, cache: "no-store" });
    if (!response.ok && response.status !== 304) throw new Refusal(response.status, await reasonOf(response), Number(response.headers.get("Retry-After")) || 0);
    return response;
  } catch (error) {
    if (error instanceof Refusal || (error as Error).name === "AbortError") throw error;
    throw new Refusal(0, (error as Error).message);
  }
}

const ask = async (path: string, body?: object, signal?: AbortSignal): Promise<any> => (await respond(path, body, signal)).json();

export async function fetchModels(): Promise<ServedModel[]> {
  return (await ask("/v1/models")).data;
}

export async function fetchTranslation(q: string, model: ServedModel, outputs: number, signal: AbortSignal): Promise<Translation> {
  const request = { q, model: model.id, n_best: outputs, alignment: model.attends };
  return (await ask("/v1/translate", request, signal)).translations[0];
}

export async function fetchAttention(request: AttendRequest): Promise<Document> {
  return readDocument(await ask("/v1/attend", request));
}

// What could come next, or in the place of a mask, likeliest first.
export interface Candidate {
  token: string;
  p: number;
  text: string; // the whole text with it
}

export const fetchNext = async (model: string, q: string, top: number, signal: AbortSignal): Promise<Candidate[]> => (await ask("/v1/next", { model, q, top }, signal)).candidates;

export const fetchFilled = async (model: string, q: string, top: number, signal: AbortSignal): Promise<Candidate[][]> => (await ask("/v1/fill", { model, q, top }, signal)).masks;

export interface WriteRequest {
  model: string;
  prompt: string;
  max_tokens: number;
  temperature: number;
  top_k?: number;
}

// The text as it is written, part by part.
export async function streamText(request: WriteRequest, signal: AbortSignal, show: (more: string) => void): Promise<void> {
  for await (const more of partsOf(await respond("/v1/completions", { ...request, stream: true }, signal))) show(more);
}

// The record of a run as it was sent, and its tag; null: it is still the one with that tag.
export async function fetchRun(name: string, tag: string, signal: AbortSignal): Promise<{ text: string; tag: string } | null> {
  const response = await respond(`/v1/run?name=${encodeURIComponent(name)}`, undefined, signal, tag ? { "If-None-Match": tag } : {});
  return response.status === 304 ? null : { text: await response.text(), tag: response.headers.get("ETag") ?? "" };
}
