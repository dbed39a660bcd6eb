// For tests that compare numbers of the page with those of the server.
import assert from "node:assert/strict";

// The tokens of characters, in words: a blank belongs to the one after it.
export function spans(tokens: string[]): [number, number][] {
  const begins = [0, ...tokens.flatMap((token, i) => (token === "▁" && i > 0 ? [i] : []))];
  return begins.map((begin, i) => [begin, begins[i + 1] ?? tokens.length] as [number, number]).filter(([begin, end]) => tokens.slice(begin, end).some((token) => token !== "▁"));
}

export const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);

export function close(found: number[], expected: number[], within = 1e-4): void {
  assert.equal(found.length, expected.length);
  found.forEach((value, i) => assert.ok(Math.abs(value - expected[i]!) < within, `${found} is not ${expected}`));
}
