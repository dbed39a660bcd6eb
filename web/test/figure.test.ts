// Pictures to keep, and numbers as they are written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { animated } from "../src/animation";
import type { App } from "../src/app";
import { rough, signed } from "../src/dom";
import { columnLabel, heightAbove, matrixFigure, standing, svgFile } from "../src/figure";
import { text, type TextKey } from "../src/texts";

const matrix = (rows: number[][]) => ({ queries: rows.length, keys: rows[0]!.length, weights: Float32Array.from(rows.flat()) });

test("numbers are never minus nothing, and scales end with two digits that say something", () => {
  assert.deepEqual([-0.001, 0, -0, -0.005001, -1.5, 2].map((x) => signed(x, 2)), ["0.00", "0.00", "0.00", "−0.01", "−1.50", "2.00"]);
  assert.deepEqual([0.9986, 1, 0.3, 0.0123, 12.34, 123].map(rough), ["1", "1", "0.3", "0.012", "12", "120"]);
});

test("Chinese does not lie on its side: its characters stand below one another", () => {
  assert.deepEqual(["十", "11", "十一月", "November", "11月", "三つの"].map((label) => standing(label)), ["upright", "upright", "downwards", "turned", "turned", "downwards"]);
  assert.deepEqual(["a", "ab", "十一"].map((label) => standing(label, false)), ["upright", "turned", "downwards"]); // columns that are narrow
  const label = columnLabel(10, 100, "十一月");
  assert.deepEqual([...label.matchAll(/x="10" y="(\d+)">(.)</g)].map(([, y, c]) => [Number(y), c]), [[70, "十"], [85, "一"], [100, "月"]]);
  assert.doesNotMatch(label, /rotate/);
  assert.match(columnLabel(10, 100, "November"), /rotate\(-90 10 100\)/);
  assert.equal(heightAbove(["十一月", "a"]), 45);
  const svg = svgFile(matrixFigure(matrix([[0.5, 0.5]]), ["a"], ["十一月", "日"], { log: false, most: 1 }));
  assert.doesNotMatch(svg, /rotate\(-90/);
});

test("attention that emerges is saved as a picture that plays: cells that change are animated, others are not", () => {
  const app = { t: (key: TextKey) => text("en", key) } as App;
  const frame = (update: number, weights: number[][]) => ({ update, output: `a → ${update}`, seen: { matrix: matrix(weights), rows: ["x"], columns: ["a", "b", "c"] } });
  const svg = svgFile(animated(app, [{ name: "one", frames: [frame(10, [[0.5, 0.5, 0]]), frame(20, [[0.9, 0.1, 0]])] }]));
  const cells = [...svg.matchAll(/<rect [^>]*fill="#[0-9a-f]{6}">(.*?)<\/rect>/g)].map(([, inside]) => inside!.includes('<animate attributeName="fill"'));
  assert.deepEqual(cells, [true, true, false]);
  assert.match(svg, /repeatCount="indefinite"/);
  for (const update of [10, 20]) assert.ok(svg.includes(`update ${update}`));
});
