// Models that learn while the page does other things: an engine of their own, asked for a few seconds of training at a time.
import { readDocument, type Run } from "../data";
import type { Engine } from "../engine/engine";
import { anotherEngine } from "../engine/here";
import type { EngineFile } from "../engine/messages";
import { divided, linesOf, type Pair } from "./pairs";
import { folderOf, settingsOf, type PlanName, type Sets, type Tuned } from "./plans";

const SECONDS = 3, FIRST = 1; // between two looks
const DATES = { folder: "/data", seed: 1, train: 10000, valid: 60 };
const EMERGING = "Nov 15, 2026 at 6:30 pm\t2026-11-15 18:30";

export type Phase = "preparing" | "running" | "pausing" | "paused" | "finished";

export interface Progress {
  updates: number;
  tokens: number;
  seconds: number;
  loss: number;
}

export interface Learning {
  readonly name: PlanName;
  tuned: Tuned; // may change while it learns
  phase: Phase;
  progress: Progress | null;
  scores: Record<string, number>;
  run: Run | null;
  failure: unknown; // null: none
}

let engine: Engine | null = null;
let sets: Promise<Sets> | null = null;
let learned = ""; // what the data is
const learnings = new Map<PlanName, Learning>();
let listener: () => void = () => undefined;

export const onLearning = (listen: () => void): void => void (listener = listen);
export const learningOf = (name: PlanName): Learning | undefined => learnings.get(name);
export const allLearnings = (): Learning[] => [...learnings.values()];
export const learning = (): Learning | undefined => allLearnings().find(({ phase }) => phase === "preparing" || phase === "running" || phase === "pausing");

async function dates(engine: Engine): Promise<Sets> {
  await engine.call("dates", DATES);
  return { train: ["/data/train.written", "/data/train.iso"], valid: ["/data/valid.written", "/data/valid.iso"], emerging: EMERGING };
}

async function ownPairs(engine: Engine, pairs: Pair[]): Promise<Sets> {
  const { train, valid } = divided(pairs), encoder = new TextEncoder();
  const file = (name: string, pairs: Pair[], side: 0 | 1) => ({ path: `/data/${name}`, bytes: encoder.encode(linesOf(pairs, side)) });
  await engine.write([file("train.source", train, 0), file("train.target", train, 1), file("valid.source", valid, 0), file("valid.target", valid, 1)]);
  return { train: ["/data/train.source", "/data/train.target"], valid: ["/data/valid.source", "/data/valid.target"], emerging: valid[0]!.join("\t") };
}

// Everything that was learned is forgotten, and its memory is free.
export function forgetAll(): void {
  engine?.close();
  engine = null;
  sets = null;
  learnings.clear();
}

// Pairs, or null: dates. A model that has learned before goes on, unless there are other data.
export function start(name: PlanName, tuned: Tuned, pairs: Pair[] | null): void {
  pause();
  const data = JSON.stringify(pairs);
  if (!engine || data !== learned) {
    forgetAll();
    engine = anotherEngine();
    learned = data;
    sets = pairs ? ownPairs(engine, pairs) : dates(engine);
    sets.catch(() => undefined); // whoever learns from them tells
  }
  const before = learnings.get(name);
  const own: Learning = { name, progress: null, scores: {}, run: null, ...before, tuned, phase: "preparing", failure: null };
  learnings.set(name, own);
  void learn(engine, own);
}

// From the beginning.
export async function startAgain(name: PlanName, tuned: Tuned, pairs: Pair[] | null): Promise<void> {
  pause();
  const begun = learnings.get(name)?.progress;
  learnings.delete(name);
  if (begun) await engine?.remove(folderOf(name));
  start(name, tuned, pairs);
}

export function pause(): void {
  for (const each of learnings.values()) if (each.phase === "running" || each.phase === "preparing") each.phase = "pausing";
  listener();
}

// It broke, and what it held is gone: the next start begins anew.
function lose(broken: Engine): void {
  if (engine === broken) engine = null;
}

// Another one of the same name may have taken its place.
const current = (own: Learning): boolean => learnings.get(own.name) === own;

async function learn(engine: Engine, own: Learning): Promise<void> {
  try {
    const from = await sets!;
    if (own.phase === "preparing") own.phase = "running";
    while (current(own) && own.phase === "running") {
      listener();
      const answer = await engine.call("train", { settings: settingsOf(own.name, from, own.tuned), seconds: own.progress ? SECONDS : FIRST });
      own.progress = answer.progress;
      own.scores = { ...own.scores, ...answer.scores };
      own.run = (await readDocument({ sentences: [], runs: [answer.run] })).runs[0]!;
      if (answer.finished) own.phase = "finished";
    }
  } catch (error) {
    own.failure = error;
    await engine.read("/data").catch(() => lose(engine));
  }
  if (own.phase !== "finished") own.phase = "paused";
  if (current(own)) listener();
}

// A run keeps the best of its validated models.
export const hasModel = ({ scores }: Learning): boolean => "exact" in scores;

// The files of its folder, below a folder of the model's name.
export async function savedFiles({ name }: Learning): Promise<EngineFile[]> {
  const model = `${folderOf(name)}/best-exact`, files = await engine!.read(model);
  return files.map(({ path, bytes }) => ({ path: `${name}${path.slice(model.length)}`, bytes }));
}
