import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { BadData, defaultKind, readAttention, readDocument, unpacked } from "../src/data";

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
