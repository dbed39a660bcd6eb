// Own pairs, the settings of runs, and zip files, read by another program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { divided, linesOf, pairsOf } from "../src/learn/pairs";
import { PLANS, settingsOf } from "../src/learn/plans";
import { crc32, zipOf } from "../src/learn/zip";

test("pairs by tab or arrow; lines with one side only are left out", () => {
  assert.deepEqual(pairsOf("a\tb\r\n 一 => 1 \n\nno pair\n=> 2\nx => y => z\na => b\tc\td\n"), [["a", "b"], ["一", "1"], ["x", "y"], ["a => b", "c"]]);
  assert.equal(linesOf([["a", "b"], ["一", "1"]], 1), "b\n1\n");
});

test("few pairs are for both sets, of many some are for validation only", () => {
  const some = (count: number) => Array.from({ length: count }, (_, i) => [`s${i}`, `t${i}`] as [string, string]);
  assert.deepEqual(divided(some(3)), { train: some(3), valid: some(3) });
  for (const count of [20, 21, 100, 5000]) {
    const { train, valid } = divided(some(count));
    assert.equal(train.length + valid.length, count);
    assert.ok(valid.length > 0 && valid.length <= 60);
    assert.deepEqual(new Set([...train, ...valid].map(String)), new Set(some(count).map(String)));
  }
});

test("each model has settings of its own, and one without attention keeps none", () => {
  const sets = { train: ["a", "b"], valid: ["c", "d"], emerging: "x\ty" };
  for (const name of PLANS) {
    const settings = settingsOf(name, sets, { rate: 0.005, updates: 70 });
    assert.deepEqual([settings.learning_rate, settings.after, settings.model, settings.train_sets], ["0.005", "70u", `/runs/${name}`, ["a", "b"]]);
    assert.equal(settings.attend_sentence, name === "none" ? undefined : "x\ty");
  }
});

test("a zip file holds what it was given, as Python reads it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "attune-zip-"));
  const bytes = Uint8Array.from({ length: 70_001 }, (_, i) => (i * 7919) >> 4);
  const files = [{ path: "模型/model.bin", bytes }, { path: "模型/vocabulary/empty", bytes: new Uint8Array() }, { path: "a.txt", bytes: new TextEncoder().encode("123456789") }];
  writeFileSync(join(folder, "model.zip"), Buffer.from(await zipOf(files, new Date(2026, 10, 18, 13, 37, 42)).arrayBuffer()));
  const script = "import sys, zipfile, json\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps([[i.filename, i.date_time, i.external_attr >> 16, z.read(i).hex()] for i in z.infolist()]))";
  const read = JSON.parse(execFileSync("python3", ["-c", script, join(folder, "model.zip")], { encoding: "utf8", maxBuffer: 1 << 26 }));
  rmSync(folder, { recursive: true });
  assert.deepEqual(read, files.map(({ path, bytes }) => [path, [2026, 11, 18, 13, 37, 42], 0o100644, Buffer.from(bytes).toString("hex")]));
});

test("CRC-32 of the usual text", () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
});
