// The npm package with the real engine, in Node and in Chromium: both say what the program says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { after, before, test } from "node:test";
import { buildPackage, inNode } from "./built_package";
import { attune, blank, folder, program, start, stop } from "./fixture";
import { TEXT, trainNumbers } from "./served";

const TYPES: Record<string, string> = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const STORY = "once upon a time there was a fox\n";
let server: Server, said: string;

before(async () => {
  trainNumbers();
  writeFileSync(join(folder, "story"), STORY.repeat(20));
  attune("train", "--type", "gpt", "-t", "story", "--valid-sets", "story", "--vocab-kind", "char", "--layers", "1", "--d-model", "16", "--heads", "2", "--feed-forward", "16", "--dropout", "0", "--after", "60u", "--valid-freq", "60u", "--model", "gpt");
  buildPackage(join(folder, "package"), join(dirname(program), "../wasm"));
  said = execFileSync(program, ["translate", "-m", "transformer", "--max-length", "100"], { cwd: folder, input: `${TEXT}\n`, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }).replace(/\n$/, "");
  server = createServer((request, response) => {
    const path = request.url === "/" ? null : join(folder, request.url!);
    response.setHeader("Content-Type", path ? (TYPES[extname(path)] ?? "application/octet-stream") : "text/html");
    response.end(path ? readFileSync(path) : '<!doctype html><title>attune</title><link rel="icon" href="data:,">');
  }).listen(0, "127.0.0.1");
  await start(false);
});
after(async () => {
  server?.close();
  await stop();
});

const best = (run: string) => join(folder, run, "last");

test("in Node it translates, attends and writes", async () => {
  const { load } = await inNode(join(folder, "package"));
  const one = await load({ model: best("transformer"), source: "en", target: "de" });
  const { text, sentences } = await one.translate(TEXT, { outputs: 2, alignment: true });
  assert.equal(text, said);
  assert.equal(sentences[0]!.outputs.length, 2);
  assert.ok(sentences[0]!.outputs[0]!.alignment!.length > 0);
  const attention = await one.attend(TEXT, { output: "drei und vier" });
  assert.equal(attention.target, "drei und vier");
  const cross = attention.layers.filter(({ kind }) => kind === "cross");
  assert.deepEqual([cross.length, cross[0]!.matrices.length], [3, 4]);
  for (const { queries, keys, weights } of cross[0]!.matrices)
    for (let q = 0; q < queries; ++q) assert.ok(Math.abs(weights.subarray(q * keys, (q + 1) * keys).reduce((sum, weight) => sum + weight, 0) - 1) < 1e-3);
  one.close();
  const writer = await load(best("gpt"));
  let written = "";
  for await (const part of writer.generate("once upon", { tokens: 8, temperature: 0 })) written += part;
  assert.ok(written.length > 0 && written.length <= 8);
  writer.close();
});

test("workers that share a text write what one writes", async () => {
  const { load } = await inNode(join(folder, "package"));
  const text = `  ${`${TEXT}! `.repeat(9)}\n\n- 12\n${`${TEXT}! ${TEXT}? `.repeat(3)}\n`;
  const [alone, ...others] = await Promise.all(
    [1, 2, 3].map(async (workers) => {
      const one = await load(best("transformer"), { workers });
      const translation = await one.translate(text, { outputs: 2, alignment: true });
      one.close();
      return translation;
    }),
  );
  assert.equal(alone!.sentences.length, 15);
  for (const other of others) assert.deepEqual(other, alone);
  await assert.rejects(load(best("transformer"), { workers: 0 }), /workers/);
});

test("in Chromium it says the same", async () => {
  const page = await blank();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const result = await page.evaluate(async (text) => {
    const { load } = await import(String("/package/browser.js"));
    const names = ["config.json", "vocab.txt", "weights.safetensors"];
    const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, new Uint8Array(await (await fetch(`/transformer/last/${name}`)).arrayBuffer())])));
    const attune = await load(files);
    const { text: translated } = await attune.translate(text);
    const long = `${text}! `.repeat(20), alone = await load(files, { workers: 1 });
    const same = JSON.stringify(await attune.translate(long)) === JSON.stringify(await alone.translate(long));
    alone.close();
    const attention = await attune.attend(text);
    attune.close();
    const broken = await load({ ...files, "config.json": new Uint8Array(1) }).catch((error: Error) => error.message);
    return { translated, same, layers: attention.layers.length, broken };
  }, TEXT);
  assert.equal(result.translated, said);
  assert.ok(result.same);
  assert.equal(result.layers, 8); // 2 of the encoder, 3 + 3 of the decoder
  assert.match(String(result.broken), /config\.json/);
  await page.close();
});
