// Measures the engine of pages (wasm/) in Chromium beside the program on the same machine, one thread each, in turns.
//
//   node bench/pages.mjs MODEL TEXT [--sentences 300] [--samples 5] [--marian PACKAGE] [--json FILE]
//
// MODEL: the folder of a translation model with f32 weights; TEXT: lines to translate. ./run wasm must have been run.
// --marian: beside Marian's engine for browsers, the unpacked npm package @browsermt/bergamot-translator; for a MODEL that
// Marian can have (bench/peers/marian_model.py).
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { openedMarian } from "./peers/marian_page.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core");
const attune = join(root, "build/release/attune");
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { sentences: { type: "string", default: "300" }, samples: { type: "string", default: "5" }, marian: { type: "string" }, json: { type: "string" } },
});
if (positionals.length !== 2) {
  console.error("usage: node bench/pages.mjs MODEL TEXT [--sentences N] [--samples N] [--marian PACKAGE] [--json FILE]");
  process.exit(2);
}
const [model, textFile] = positionals;
const lines = readFileSync(textFile, "utf8").split("\n").filter(Boolean).slice(0, Number(values.sentences));
const samples = Number(values.samples);
const work = mkdtempSync(join(tmpdir(), "attune-pages-"));
const engine = readFileSync(join(root, "build/wasm/engine.js"), "utf8"), binary = readFileSync(join(root, "build/wasm/engine.wasm"));

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const environment = { ...process.env, OMP_NUM_THREADS: "1" };

function run(parts, input = "") {
  const began = performance.now();
  const output = execFileSync(attune, parts, { input, env: environment, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"], maxBuffer: 1 << 28 });
  return { output, seconds: (performance.now() - began) / 1000 };
}

// ---- Models: f32 and int8, both greedy by their folder
function greedy(folder, name) {
  const copy = join(work, name);
  cpSync(folder, copy, { recursive: true });
  const config = JSON.parse(readFileSync(join(copy, "config.json"), "utf8"));
  config.decoding = { ...config.decoding, beam_size: 1 };
  writeFileSync(join(copy, "config.json"), JSON.stringify(config));
  return copy;
}
const f32 = greedy(model, "f32");
run(["quantize", f32, join(work, "small")]);
const int8 = greedy(join(work, "small"), "int8");

// ---- A page with the engine, without a worker: nothing else is measured
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const { fuse } = await import(pathToFileURL(bundledFuse()));

function bundledFuse() {
  const { buildSync } = createRequire(join(root, "web/package.json"))("esbuild");
  const file = join(work, "fused.mjs");
  buildSync({ entryPoints: [join(root, "web/src/engine/fused.ts")], bundle: true, format: "esm", outfile: file });
  return file;
}

async function opened(folder, fused = true) {
  const page = await browser.newPage();
  await page.goto("about:blank");
  await page.addScriptTag({ content: engine });
  const bytes = Uint8Array.from(binary);
  if (fused) fuse(bytes);
  const files = Object.fromEntries(readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile()).map((name) => [name, readFileSync(join(folder, name)).toString("base64")]));
  await page.evaluate(async ([wasm, given]) => {
    const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const module = await attuneEngine({ wasmBinary: bytesOf(wasm) });
    module.FS.mkdirTree("/models/m");
    for (const [name, content] of Object.entries(given)) module.FS.writeFile(`/models/m/${name}`, bytesOf(content));
    globalThis.call = (name, request) => {
      const reply = JSON.parse(module.call(name, JSON.stringify(request)));
      if (reply.error) throw new Error(reply.error);
      return reply;
    };
    call("open", { models: [{ folder: "/models/m" }], characters: 1e9 });
    const [{ id }] = JSON.parse(call("answer", { method: "GET", path: "/v1/models" }).body).data;
    globalThis.translated = (q) => {
      const { status, body } = call("answer", { method: "POST", path: "/v1/translate", body: JSON.stringify({ q, model: id }) });
      if (status !== 200) throw new Error(body);
      return JSON.parse(body).translations;
    };
  }, [Buffer.from(bytes).toString("base64"), files]);
  return page;
}

const inPage = (page) => page.evaluate((all) => {
  const began = performance.now();
  translated(all);
  return (performance.now() - began) / 1000;
}, lines);

// Without what starting and loading take.
const native = (folder) => run(["translate", "-m", folder, "--cpu-threads", "1"], lines.join("\n") + "\n").seconds - run(["translate", "-m", folder, "--cpu-threads", "1"], `${lines[0]}\n`).seconds;

const results = {};
const show = (name, value, text) => {
  results[name] = value;
  console.log(`${name.padEnd(58)} ${text}`);
};

// ---- Translating
const pages = { f32: await opened(f32), plain: await opened(f32, false), int8: await opened(int8), plain_int8: await opened(int8, false) };
if (values.marian) {
  const file = join(work, "marian.bin");
  execFileSync("python3", [join(root, "bench/peers/marian_model.py"), f32, file]);
  for (const [name, precision] of [["marian", "float32"], ["marian_int8", "int8shiftAll"]])
    pages[name] = await openedMarian(browser, resolve(values.marian), file, join(f32, "vocab.spm"), precision);
}
const times = Object.fromEntries(["native", "native_int8", ...Object.keys(pages)].map((name) => [name, []]));
for (let i = 0; i <= samples; ++i) {
  const round = { native: native(f32), native_int8: native(int8) };
  for (const [name, page] of Object.entries(pages)) round[name] = await inPage(page);
  if (i > 0) for (const [name, seconds] of Object.entries(round)) times[name].push(seconds); // the first warms up
}
const ratio = (a, b) => median(times[a].map((seconds, i) => times[b][i] / seconds));
for (const [name, all] of Object.entries(times)) show(`greedy, ${lines.length} sentences, ${name}, seconds`, median(all), median(all).toFixed(2));
show("page f32 / native f32 (speed)", ratio("f32", "native"), ratio("f32", "native").toFixed(2));
show("page f32 without fused instructions / native f32", ratio("plain", "native"), ratio("plain", "native").toFixed(2));
show("page int8 / page f32 (speed)", ratio("int8", "f32"), ratio("int8", "f32").toFixed(2));
show("page int8 / page f32, both without fused instructions", ratio("plain_int8", "plain"), ratio("plain_int8", "plain").toFixed(2));
if (values.marian) {
  show("page f32 / Marian f32 (speed)", ratio("f32", "marian"), ratio("f32", "marian").toFixed(2));
  show("page int8 / Marian int8 (speed)", ratio("int8", "marian_int8"), ratio("int8", "marian_int8").toFixed(2));
  const [ours, theirs] = await Promise.all([pages.f32, pages.marian].map((page) => page.evaluate((all) => translated(all).map(({ text }) => text), lines)));
  const same = ours.filter((text, i) => text === theirs[i]).length;
  show("outputs as Marian's, f32", same / lines.length, `${same} of ${lines.length}`);
}

// ---- The same outputs, where a line is one sentence: pages cut texts into sentences, as servers do
const expected = run(["translate", "-m", f32, "--cpu-threads", "1", "--json"], lines.join("\n") + "\n").output.trim().split("\n").map((line) => JSON.parse(line).outputs[0]);
for (const name of ["plain", "f32"]) {
  const found = await pages[name].evaluate((all) => translated(all).map(({ text, sentences }) => [text, sentences.length, sentences[0].outputs[0].score]), lines);
  const pairs = found.flatMap(([text, parts, score], i) => (parts === 1 ? [[text === expected[i].text, Math.abs(score - expected[i].score)]] : []));
  const same = pairs.filter(([equal]) => equal).length, worst = Math.max(...pairs.map(([, difference]) => difference));
  show(`outputs as the program's, page ${name}`, same / pairs.length, `${same} of ${pairs.length}, scores within ${worst.toExponential(1)}`);
}
for (const page of Object.values(pages)) await page.close();

// ---- A long text, shared by as many workers as there are cores (in Node: workers are the same as in a page)
execFileSync(process.execPath, [join(root, "web/package/build.mjs"), join(work, "package"), join(root, "build/wasm")]);
const { load } = await import(pathToFileURL(join(work, "package/node.js")));
const teams = { alone: await load(int8, { characters: 1e9, workers: 1 }), shared: await load(int8, { characters: 1e9 }) };
times.alone = [];
times.shared = [];
for (let i = 0; i <= samples; ++i)
  for (const [name, team] of Object.entries(teams)) {
    const began = performance.now();
    await team.translate(lines.join("\n"));
    if (i > 0) times[name].push((performance.now() - began) / 1000); // the first starts the others
  }
for (const team of Object.values(teams)) team.close();
show(`a text of ${lines.length} sentences, int8: all workers / one`, ratio("shared", "alone"), ratio("shared", "alone").toFixed(2));

// ---- Opening a page from disk
execFileSync(attune, ["page", "-m", int8, "-o", join(work, "page.html")], { stdio: "ignore" });
const first = [];
for (let i = 0; i < samples; ++i) {
  const page = await browser.newPage();
  const began = performance.now();
  await page.goto(`${pathToFileURL(join(work, "page.html"))}#view=translate&text=${encodeURIComponent(lines[0])}`);
  await page.waitForFunction(() => (document.querySelector("output, .translation")?.textContent ?? "").trim().length > 0, null, { timeout: 60_000 });
  first.push((performance.now() - began) / 1000);
  await page.close();
}
show("first translation after opening, seconds", median(first), median(first).toFixed(2));
show("page, bytes", statSync(join(work, "page.html")).size, String(statSync(join(work, "page.html")).size));
const size = gzipSync(binary, { level: 9 }).length + gzipSync(engine, { level: 9 }).length;
show("engine, compressed bytes", size, String(size));

// ---- Training
const settings = {
  type: "transformer", encoder_layers: 2, decoder_layers: 2, d_model: 128, heads: 4, feed_forward: 256, norm: "pre", positions: "rotary", dropout: 0,
  vocab_kind: "char", mini_batch_words: 800, label_smoothing: 0, learning_rate: 0.002, lr_schedule: "cosine", lr_warmup: "50u", save_freq: 0,
};
execFileSync(attune, ["demo", "--folder", join(work, "dates"), "--data-only"], { stdio: "ignore" });
const nativeTraining = (updates, name) => {
  const flags = Object.entries({ ...settings, after: `${updates}u` }).flatMap(([key, value]) => [`--${key.replaceAll("_", "-")}`, String(value)]);
  return run(["train", ...flags, "--train-sets", join(work, "dates/train.written"), join(work, "dates/train.iso"), "--model", join(work, name), "--cpu-threads", "1"]).seconds;
};
const trainer = await opened(int8);
await trainer.evaluate(() => call("dates", { folder: "/data" }));
const trained = { native: [], page: [] };
for (let i = 0; i < Math.max(3, samples >> 1); ++i) {
  trained.native.push((nativeTraining(130, `n${i}a`) - nativeTraining(10, `n${i}b`)) / 120);
  const seconds = await trainer.evaluate(([given, number]) => {
    const train = (updates, name) => {
      const began = performance.now();
      call("train", { settings: { ...given, train_sets: ["/data/train.written", "/data/train.iso"], model: `/runs/${name}`, after: `${updates}u` }, seconds: 1e9 });
      return (performance.now() - began) / 1000;
    };
    return (train(50, `p${number}a`) - train(10, `p${number}b`)) / 40;
  }, [settings, i]);
  trained.page.push(seconds);
}
const training = median(trained.native.map((seconds, i) => seconds / trained.page[i]));
show("an update of the dates' Transformer, native, seconds", median(trained.native), median(trained.native).toFixed(3));
show("an update of the dates' Transformer, page, seconds", median(trained.page), median(trained.page).toFixed(3));
show("page / native (training speed)", training, training.toFixed(2));

await browser.close();
rmSync(work, { recursive: true });
if (values.json) writeFileSync(values.json, JSON.stringify(results, null, 1));
