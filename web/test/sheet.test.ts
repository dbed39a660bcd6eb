import assert from "node:assert/strict";
import { test } from "node:test";
import { norm, preset, PRESETS, readSheet, resized, solve, written, type Rows } from "../src/sheet";

const near = (a: Rows, b: Rows, tolerance = 1e-3) => a.forEach((row, i) => row.forEach((x, j) => assert.ok(Math.abs(x - b[i]![j]!) <= tolerance, `${x} is not ${b[i]![j]}`)));

test("three words by hand give the numbers of the guide", () => {
  const [head] = solve(preset("guide")).heads;
  near(head!.weights, [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]);
  near(head!.mixed, [[1.6], [2], [2.4]]);
});

test("with Q = K = V and one number a word, no word can look at itself most", () => {
  const [head] = solve(preset("one")).heads;
  assert.deepEqual(head!.products, [[1, 2, 3], [2, 4, 6], [3, 6, 9]]);
  for (const [a, b, c] of head!.weights) assert.ok(a! < b! && b! < c!);
});

test("causal attention does not see the future, and rows still add up to 1", () => {
  const [head] = solve(preset("causal")).heads;
  assert.equal(head!.energies[0]![1], -Infinity);
  assert.deepEqual([head!.weights[0]![0], head!.weights[0]![2], head!.weights[1]![2]], [1, 0, 0]);
  for (const row of head!.weights) assert.ok(Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 1e-12);
});

// Worked out with pencil: q = (1, 0), k = (1, 0) of the first head's first word, v = (1, -1, ..) of the additive one.
test("two heads are scaled by the root of a head's width; additive scores are not", () => {
  const two = solve(preset("heads"));
  assert.equal(two.heads.length, 2);
  near([[two.heads[0]!.energies[1]![0]!]], [[two.heads[0]!.products[1]![0]! / Math.SQRT2]]);
  const sheet = preset("additive"), [head] = solve(sheet).heads;
  const expected = sheet.v[0]!.reduce((sum, v, i) => sum + v * Math.tanh(head!.q[0]![i]! + head!.k[1]![i]!), 0);
  near([[head!.energies[0]![1]!]], [[expected]], 1e-12);
});

test("a norm has mean 0 and variance 1, and the block ends with one", () => {
  for (const rows of [norm([[1, 2, 3, 6]]), solve(preset("heads")).output])
    for (const row of rows) {
      assert.ok(Math.abs(row.reduce((a, b) => a + b, 0)) < 1e-9);
      assert.ok(Math.abs(row.reduce((a, b) => a + b * b, 0) / row.length - 1) < 1e-3);
    }
});

test("a sheet comes back from an address, and anything else becomes the first example", () => {
  for (const name of PRESETS) {
    assert.equal(written(preset(name)), name);
    const own = { ...preset(name), words: preset(name).words.map((word) => `${word}!`) };
    assert.deepEqual(readSheet(written(own)), own);
  }
  for (const bad of ["", "{", "[]", "null", '{"words":["a"],"x":[["b"]]}', JSON.stringify({ ...preset("heads"), heads: 3 })]) assert.deepEqual(readSheet(bad), preset("guide"));
});

test("other words and sizes keep what fits", () => {
  const grown = resized(preset("heads"), ["a", "b", "c", "d", "e"], 5, 2);
  assert.equal(grown.x[0]![0], 1);
  assert.deepEqual([grown.x.length, grown.x[0]!.length, grown.wq.length, grown.wq[0]!.length], [5, 5, 5, 6]);
  assert.equal(solve(grown).output.length, 5);
});
