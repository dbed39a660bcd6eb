// Pairs that somebody pasted: a tab or => in each line.

export type Pair = [string, string];

export const LEAST_PAIRS = 2;
const ENOUGH = 20; // from so many on some are kept for validation
const MOST_VALID = 60;

export function pairsOf(text: string): Pair[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [source = "", target = ""] = (line.includes("\t") ? line.split("\t") : line.split("=>")).map((side) => side.trim());
    return source !== "" && target !== "" ? [[source, target] as Pair] : [];
  });
}

// Every tenth is for validation, spread over all of them. Few pairs are for both.
export function divided(pairs: Pair[]): { train: Pair[]; valid: Pair[] } {
  if (pairs.length < ENOUGH) return { train: pairs, valid: pairs };
  const step = Math.max(10, Math.ceil(pairs.length / MOST_VALID));
  return { train: pairs.filter((_, i) => i % step !== 0), valid: pairs.filter((_, i) => i % step === 0) };
}

export const linesOf = (pairs: Pair[], side: 0 | 1): string => pairs.map((pair) => `${pair[side]}\n`).join("");
