import assert from "node:assert/strict";
import { test } from "node:test";
import type { Matrix } from "../src/data";
import { diagonal, entropy, halved, headOf, positionalEncoding, PLAIN, previous, shade, shadingOf, softmax } from "../src/maths";

const near = (a: number, b: number, tolerance = 1e-6) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);
const matrix = (rows: number[][]): Matrix => ({
  queries: rows.length,
  keys: rows[0]?.length ?? 0,
  weights: Float32Array.from(rows.flat()),
});

test("entropy is 0 for one token and 1 for all alike", () => {
  near(entropy(matrix([[1, 0], [0, 1]])), 0);
  near(entropy(matrix([[0.25, 0.25, 0.25, 0.25]])), 1);
  near(entropy(matrix([[0.5, 0.5, 0, 0]])), 0.5);
  near(entropy(matrix([[1]])), 0);
  near(entropy(matrix([])), 0);
});

test("diagonal joins the ends of a matrix that is not square", () => {
  near(diagonal(matrix([[1, 0, 0, 0], [0, 0, 0, 1]])), 1);
  near(diagonal(matrix([[0, 0, 0, 1], [1, 0, 0, 0]])), 0);
  near(diagonal(matrix([[0.2, 0.3, 0.5]])), 0.5); // one row stands at the first column and its neighbour
  near(diagonal(matrix([])), 0);
});

test("previous counts the token before", () => {
  near(previous(matrix([[1, 0, 0], [1, 0, 0], [0, 1, 0]])), 1);
  near(previous(matrix([[1, 0], [0.25, 0.75]])), 0.25);
  near(previous(matrix([[1]])), 0);
});

test("softmax takes large scores", () => {
  assert.deepEqual(softmax([1000, 1000]), [0.5, 0.5]);
  near(softmax([0, Math.log(3)])[1]!, 0.75);
});

test("positional encoding is that of the paper", () => {
  near(positionalEncoding(0, 0, 128), 0);
  near(positionalEncoding(0, 1, 128), 1);
  near(positionalEncoding(1, 0, 128), Math.sin(1));
  near(positionalEncoding(49, 127, 128), Math.cos(49 / Math.pow(10000, 126 / 128)));
});

test("shade is linear up to the most, or counts decades down to a thousandth", () => {
  near(shade(0.25, PLAIN), 0.25);
  near(shade(2, PLAIN), 1);
  near(shade(0.25, shadingOf("max", [matrix([[0.5, 0.25]])])), 0.5);
  near(shade(0, shadingOf("max", [matrix([[0, 0]])])), 0);
  const log = shadingOf("log", []);
  near(shade(1, log), 1);
  near(shade(Math.sqrt(1e-3), log), 0.5);
  near(shade(0, log), 0);
});

test("halving keeps the greatest of four, also at the edges", () => {
  const half = halved(matrix([[0.1, 0.2, 0.3], [0.4, 0, 0], [0, 0, 0.9]]));
  assert.deepEqual([half.queries, half.keys], [2, 2]);
  assert.deepEqual([...half.weights].map((x) => x.toFixed(1)), ["0.4", "0.3", "0.0", "0.9"]);
});

test("heads are found by their numbers, and null is their mean", () => {
  const layer = { kind: "cross" as const, layer: 0, heads: [3, 5], matrices: [matrix([[1, 0]]), matrix([[0, 1]])], norms: [] };
  assert.deepEqual([...headOf(layer, 5).weights], [0, 1]);
  assert.deepEqual([...headOf(layer, null).weights], [0.5, 0.5]);
});
