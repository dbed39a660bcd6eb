import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { BadData, defaultKind, readAttention, readDocument, unpacked, type Matrix } from "../src/data";

const headView = () => ({
  encoder_attention: null,
  cross_attention: [[[[0.25, 0.75], [1, 0]]]],
  encoder_tokens: ["a", "b"],
  decoder_tokens: ["<s>", "x"],
});

test("packed weights come back", async () => {
  const packed = deflateSync(Uint8Array.from([0x00, 0xff, 0x80, 0x00, 0xff, 0x00])).toString("base64");
  assert.deepEqual([...(await unpacked(packed, 3))], [0, 1, Math.fround(32768 / 65535)]);
  await assert.rejects(unpacked(packed, 4), BadData);
});

test("BertViz's shape is read, with its heads and labels", async () => {
  const attention = await readAttention(headView());
  assert.equal(defaultKind(attention), "cross");
  assert.deepEqual(attention.layers[0]!.heads, [0]);
  assert.deepEqual([...attention.layers[0]!.matrices[0]!.weights], [0.25, 0.75, 1, 0]);
  assert.deepEqual(attention.decoder_outputs, ["<s>", "x"]);
  assert.equal((await readDocument(headView())).sentences.length, 1);
});

test("weights that are no shares are refused, and so are shapes that do not fit", async () => {
  for (const bad of [null, "1", 2, -1]) {
    const json = headView();
    (json.cross_attention[0]![0]![0] as unknown[])[0] = bad;
    await assert.rejects(readAttention(json), /weight/);
  }
  const row = headView();
  row.cross_attention[0]![0]![0]!.pop();
  await assert.rejects(readAttention(row), /row 0 of cross_attention, layer 0 has 1 weights, but there are 2/);
  const tokens = headView();
  tokens.decoder_tokens.push("y");
  await assert.rejects(readAttention(tokens), BadData);
});

test("what is something else is refused", async () => {
  for (const other of [null, 3, {}, { hello: 1 }]) await assert.rejects(readDocument(other), BadData);
});

// A table of numbers from 0 to 1, as pages have it.
const table = (rows: number[][]) => {
  const all = rows.flat().map((x) => Math.round(65535 * x)), planes = [...all.map((x) => x >> 8), ...all.map((x) => x & 255)];
  return { rows: rows.length, columns: rows[0]!.length, low: 0, high: 1, packed: deflateSync(Uint8Array.from(planes)).toString("base64") };
};

test("gates make the states before each step, forward and backward, and c of an LSTM", async () => {
  const read = async (more: object) => (await readAttention({ encoder_tokens: [], gates: [{ decoder: false, layer: 0, backward: false, ...more }] })).gates[0]!;
  const near = (found: Matrix, wanted: number[]) => wanted.forEach((x, i) => assert.ok(Math.abs(found.weights[i]! - x) < 1e-3, `${found.weights} is not ${wanted}`));
  const gru = { cell: "gru", gates: table([[0, 0.5, 1], [0, 0.25, 0.4], [0, 0, 0]]), before: table([[0.2]]) }; // r, z, n
  near((await read(gru)).before, [0.2, 0.6, 0.45]); // 0.5 n + 0.5 h, then 0.75 n + 0.25 h
  near((await read({ ...gru, backward: true })).before, [0.3, 0, 0.2]); // n = 0, then 0.75 n + 0.25 h
  near((await read({ cell: "rnn", gates: table([[0.3], [0.9]]), before: table([[0]]) })).before, [0, 0.3]);
  const lstm = await read({ cell: "lstm", gates: table([[0.5, 1, 0.8, 0.5], [0, 0, 0, 0]]), before: table([[0]]), cell_before: table([[0.1]]) });
  near(lstm.cell_before!, [0.1, 0.5]); // f c + i g
  near(lstm.before, [0, 0.5 * Math.tanh(0.5)]);
});
