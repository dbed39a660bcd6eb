// The npm package in Node, with an engine that computes nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildPackage, inNode } from "./built_package";
import { mockBinary, mockEngine } from "./mock_engine";

const folder = mkdtempSync(join(tmpdir(), "attune-package-"));
const model = { "model.bin": new TextEncoder().encode("good") };
const two = [{ model }, { model }]; // the mock's second one generates
let load: typeof import("../package/index").load;

before(async () => {
  for (const place of ["engine", "model/below"]) mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(join(folder, "engine/engine.js"), mockEngine);
  writeFileSync(join(folder, "engine/engine.wasm"), mockBinary);
  writeFileSync(join(folder, "model/model.bin"), "broken");
  writeFileSync(join(folder, "model/below/x"), "x");
  buildPackage(join(folder, "attune"), join(folder, "engine"));
  ({ load } = await inNode(join(folder, "attune")));
});
after(() => rmSync(folder, { recursive: true }));

test("it translates, and tells what it has", async () => {
  const attune = await load(model);
  assert.equal((await attune.models())[0]!.id, "model-0");
  assert.equal((await attune.translate("grüße, 世界")).text, "GRÜSSE, 世界");
  assert.equal((await attune.fetch("/v1/nowhere")).status, 404);
  await assert.rejects(attune.translate("refuse"), new Error("this text cannot be translated"));
  await assert.rejects(attune.generate("x").next(), /can generate/);
  attune.close();
});

test("it writes part by part; leaving the loop ends it, and the next question is answered", async () => {
  const attune = await load(two);
  const parts = [];
  for await (const part of attune.generate("go")) parts.push(part);
  assert.deepEqual(parts, [" one", " zwei", " 三"]);
  for await (const part of attune.generate("slow forever")) {
    assert.equal(part, " one");
    break;
  }
  assert.equal((await attune.translate("still here")).text, "STILL HERE");
  const stop = new AbortController(), slow = attune.translate("forever", { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 50);
  await assert.rejects(slow, new Error("enough"));
  assert.equal((await attune.translate("again")).text, "AGAIN");
  attune.close();
  await assert.doesNotReject(load(model).then((other) => other.close()));
});

test("folders are read with all that is below; a model that is broken is an error", async () => {
  await assert.rejects(load(join(folder, "model")), /model\.bin is damaged/);
  await assert.rejects(load(join(folder, "nowhere")), /ENOENT/);
  await assert.rejects(load({ model, source: "en" }, { engine: { program: "no program", binary: mockBinary } }), /no|Unexpected|missing/);
});

test("an engine that nobody waits for does not keep the process", () => {
  const script = `import { load } from "attune"; const attune = await load({ "model.bin": new Uint8Array(1) }); console.log((await attune.translate("done")).text);`;
  mkdirSync(join(folder, "user/node_modules"), { recursive: true });
  execFileSync("cp", ["-r", join(folder, "attune"), join(folder, "user/node_modules/attune")]);
  writeFileSync(join(folder, "user/main.mjs"), script);
  assert.equal(execFileSync(process.execPath, ["main.mjs"], { cwd: join(folder, "user"), encoding: "utf8", timeout: 60_000 }), "DONE\n");
});

test("what the package says it has is there, and no more than it needs", () => {
  const { files, exports } = JSON.parse(readFileSync(join(folder, "attune/package.json"), "utf8"));
  for (const file of [...files, ...Object.values(exports["."]) as string[]]) assert.ok(readFileSync(join(folder, "attune", file)).length > 0, file);
  assert.ok(readFileSync(join(folder, "attune/browser.js")).length < 40_000);
  assert.ok(!readFileSync(join(folder, "attune/browser.js"), "utf8").includes("worker_threads"));
});
