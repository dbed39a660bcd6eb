import assert from "node:assert/strict";
import { test } from "node:test";
import { alignedHead, alignedLayer, sharpness } from "../src/aligned";
import { type Attention, type Layer, type Matrix } from "../src/data";
import { cosinePlaces, cosines, mutualInformation, principalComponents, rollout, weightedNorms, shares } from "../src/measures";
import { scoreOf } from "../src/arithmetic";

const matrix = (rows: number[][]): Matrix => ({ queries: rows.length, keys: rows[0]!.length, weights: Float32Array.from(rows.flat()) });
const near = (a: number, b: number, tolerance = 1e-5) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);
const layer = (kind: Layer["kind"], number: number, ...heads: number[][][]): Layer => ({ kind, layer: number, heads: heads.map((_, i) => i), matrices: heads.map(matrix), norms: [] });
const attention = (layers: Layer[], more: Partial<Attention> = {}): Attention => ({ layers, aligning_layer: -2, aligning_head: -1, ...more }) as Attention;

test("rollout multiplies layers, each half identity", () => {
  const rolled = rollout([layer("encoder", 0, [[1, 0], [1, 0]]), layer("encoder", 1, [[0, 1], [0, 1]])]);
  // (A_1 + I)/2 (A_0 + I)/2 = [[.5, .5], [0, 1]] [[1, 0], [.5, .5]]
  assert.deepEqual([...rolled.weights], [0.75, 0.25, 0.5, 0.5]);
});

test("weighted norms are weights times what keys give", () => {
  const own = { ...layer("encoder", 0, [[0.5, 0.5]], [[1, 0]]), norms: [Float32Array.of(2, 4), Float32Array.of(6, 1)] };
  assert.deepEqual([...weightedNorms(own, 0)!.weights], [1, 2]);
  assert.deepEqual([...weightedNorms(own, null)!.weights], [3.5, 1]);
  assert.equal(weightedNorms(layer("encoder", 0, [[1, 0]]), 0), null);
});

test("mutual information is 1 for a permutation and 0 for rows that are alike", () => {
  near(mutualInformation(matrix([[0, 1], [1, 0]])), 1);
  near(mutualInformation(matrix([[0.3, 0.7], [0.3, 0.7]])), 0);
});

test("cosines are 1 for the same direction and 0 across", () => {
  assert.deepEqual([...cosines(matrix([[2, 0], [0, 3], [1, 0]])).weights], [1, 0, 1, 0, 1, 0, 1, 0, 1]);
});

test("principal components of points on a line are the line", () => {
  const { points, share } = principalComponents(matrix([[0, 0, 0], [1, 2, 2], [2, 4, 4], [3, 6, 6]]));
  near(share, 1, 1e-4);
  for (let i = 1; i < 4; ++i) near(Math.abs(points[i]![0] - points[i - 1]![0]), 3, 1e-3);
  for (const [, second] of points) near(second, 0, 1e-3);
});

test("a score is a sum of products over the root of the width, or additive", () => {
  const inputs = { kind: "cross" as const, layer: 0, heads: 2, score: "scaled_dot", queries: matrix([[1, 2, 3, 4]]), keys: matrix([[1, 1, 2, 0]]), values: matrix([[0, 0, 0, 0]]), v: [], x: null, matrix_head: -1, query_weight: null, key_weight: null, value_weight: null, out: null };
  near(scoreOf(inputs, 1, 0, 0)!.score, 6 / Math.SQRT2);
  near(scoreOf({ ...inputs, score: "dot" }, 0, 0, 0)!.score, 3);
  near(scoreOf({ ...inputs, heads: 1, score: "additive", v: [1, 0, 0, 2] }, 0, 0, 0)!.score, Math.tanh(2) + 2 * Math.tanh(4));
  assert.equal(scoreOf({ ...inputs, score: "concat" }, 0, 0, 0), null);
});

test("the sharpest head of the sharpest layer aligns, unless the model was taught where", () => {
  const everywhere = [[0.5, 0.5], [0.5, 0.5]], end = [[0, 1], [0, 1]], sharp = [[0.9, 0.1], [0.1, 0.9]];
  assert.ok(sharpness(matrix(sharp)) > sharpness(matrix(end)));
  const layers = [layer("cross", 0, everywhere, end), layer("cross", 1, end, sharp), layer("cross", 2, everywhere, everywhere)];
  assert.deepEqual([alignedLayer(attention(layers), "cross"), alignedHead(attention(layers), layers[1]!)], [1, 1]);
  const taught = attention(layers, { aligning_layer: 0, aligning_head: 0 });
  assert.deepEqual([alignedLayer(taught, "cross"), alignedHead(taught, layers[0]!)], [0, 0]);
});

test("gradients are shown as shares of their absolute values, row by row", () => {
  const { weights } = shares(matrix([[1, -3], [0, 0]]));
  assert.deepEqual([...weights], [0.25, 0.75, 0, 0]);
});

test("cosines of states that are packed with 64 levels are told with the digits that are true", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (const [width, wanted] of [[8, 1], [64, 2], [512, 2], [8192, 3]] as const) {
    const exact = matrix(Array.from({ length: 12 }, () => Array.from({ length: width }, () => random() + random() + random() - 1)));
    const low = Math.min(...exact.weights), step = (Math.max(...exact.weights) - low) / 63;
    const packed = { ...exact, weights: exact.weights.map((x) => low + step * Math.round((x - low) / step)) };
    const places = cosinePlaces(packed), there = cosines(packed).weights;
    assert.equal(places, wanted, `${width} numbers`);
    const off = cosines(exact).weights.map((x, i) => Math.abs(x - there[i]!));
    assert.ok(off.filter((x) => x <= 10 ** -places).length >= 0.95 * off.length, `${width} numbers, off by ${Math.max(...off)}`);
  }
});
