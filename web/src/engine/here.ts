// The engines of this page.
import { Engine, EngineFailure, type EngineParts } from "./engine";
import { Team, teamSize } from "./team";

let parts: EngineParts | null = null;
let team: Team | null = null;
let failure = ""; // why there are none, or what is wrong with their models

export const engineFailure = (): string => failure;
export const noteFailure = (error: unknown): void => void (failure = (error as Error).message);

export async function beginHere(all: EngineParts, models: boolean): Promise<void> {
  parts = all;
  team = new Team(all, teamSize(navigator.hardwareConcurrency, all));
  if (models) await team.begin();
}

export function teamHere(): Team {
  if (!team) throw new EngineFailure(failure);
  return team;
}

// One for training, which opens nothing and keeps no one waiting.
export function anotherEngine(): Engine {
  if (!parts) throw new EngineFailure(failure);
  return new Engine({ ...parts, files: [], open: null });
}
