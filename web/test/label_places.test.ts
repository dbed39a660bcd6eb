import assert from "node:assert/strict";
import { test } from "node:test";
import { labelPlaces } from "../src/label_places";

test("a label alone stands above its point, to the right", () => {
  assert.deepEqual(labelPlaces([[100, 50]], [20]), [{ x: 106, y: 45, anchor: "start" }]);
});

test("labels of points in one place do not cover each other", () => {
  const places = labelPlaces([[100, 50], [101, 50], [100, 51], [101, 51], [100, 50]], [20, 20, 20, 20, 20]);
  const boxes = places.map(({ x, y, anchor }) => ({ left: anchor === "start" ? x : x - 20, top: y - 10 }));
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(Math.abs(a.left - b.left) >= 20 || Math.abs(a.top - b.top) >= 12, JSON.stringify([a, b]))));
});
