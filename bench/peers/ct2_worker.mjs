// CTranslate2 (npm package `ctranslate2`) as a worker of bench/decoding.py: requests and replies are lines of JSON, as
// bench/worker.h has them.
//   {"model": FOLDER, "lines": [..], "beam": B, "batch": N} -> {"seconds": S, "texts": [..]}
//       with "single": true the lines one by one: {"seconds": [..]}; with "cpu": true CPU time
//   {"peak": true} -> {"megabytes": M}
// usage: node ct2_worker.mjs FOLDER_OF_NODE_MODULES THREADS
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [folder, threads] = process.argv.slice(2);
const { Ct2Translator } = createRequire(`${folder}/`)("ctranslate2");

let loaded = { model: "", translator: null };

function now(cpu) {
  if (!cpu) return Number(process.hrtime.bigint()) * 1e-9;
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e-6;
}

async function translate({ model, lines, beam, batch, single, cpu }) {
  if (loaded.model !== model) {
    loaded = { model, translator: new Ct2Translator({ modelPath: model, threads: Number(threads) }) };
    await loaded.translator.translateBatch([lines[0]], { beamSize: beam });
  }
  const timed = async (texts) => {
    const start = now(cpu);
    const results = await loaded.translator.translateBatch(texts, { beamSize: beam, maxBatchSize: batch });
    return { seconds: now(cpu) - start, texts: results.map((result) => result.text) };
  };
  if (!single) return timed(lines);
  const seconds = [];
  for (const line of lines) seconds.push((await timed([line])).seconds);
  return { seconds };
}

function peak() {
  const line = readFileSync("/proc/self/status", "utf8").match(/VmHWM:\s+(\d+)/);
  return { megabytes: Number(line[1]) / 1024 };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  try {
    console.log(JSON.stringify(request.peak ? peak() : await translate(request)));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
