// The engine of this page.
import { Engine, EngineFailure, type EngineParts } from "./engine";

let parts: EngineParts | null = null;
let engine: Engine | null = null;
let failure = ""; // why there is none, or what is wrong with its models

export const engineFailure = (): string => failure;
export const noteFailure = (error: unknown): void => void (failure = (error as Error).message);

export async function beginHere(all: EngineParts, models: boolean): Promise<void> {
  parts = all;
  engine = new Engine(all);
  if (models) await engine.begin();
}

export function engineHere(): Engine {
  if (!engine) throw new EngineFailure(failure);
  return engine;
}

// One for training, which opens nothing and keeps no one waiting.
export function anotherEngine(): Engine {
  if (!parts) throw new EngineFailure(failure);
  return new Engine({ ...parts, files: [], open: null });
}
