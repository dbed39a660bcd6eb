// In Node: the engine in a thread of its own, models from folders.
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, relative, sep } from "node:path";
import { Worker } from "node:worker_threads";
import type { Launch } from "../src/engine/engine";
import { loadOn, type Platform } from "./attune";
import type { load as Load, ModelFiles } from "./index";

// As a browser's worker speaks.
const SPEAKING = `
  const { parentPort } = require("node:worker_threads");
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  parentPort.on("message", (data) => globalThis.onmessage({ data }));
`;

// An engine that nobody waits for lets the process end.
const inThread = (program: string): Launch => (hear, failed) => {
  const worker = new Worker(SPEAKING + program, { eval: true });
  let open = 0;
  const wait = (more: 1 | -1) => {
    open += more;
    if (open > 0) worker.ref();
    else worker.unref();
  };
  worker.on("message", (told) => {
    if (!("part" in told)) wait(-1);
    hear(told);
  });
  worker.on("error", (error) => failed(error.message));
  return {
    post(message) {
      wait(1);
      worker.postMessage(message);
    },
    end: () => void worker.terminate(),
  };
};

async function filesOf(folder: string): Promise<ModelFiles> {
  const files: ModelFiles = {};
  const visit = async (place: string): Promise<void> => {
    for (const entry of await readdir(place, { withFileTypes: true })) {
      const path = join(place, entry.name);
      if (entry.isDirectory()) await visit(path);
      else files[relative(folder, path).split(sep).join("/")] = new Uint8Array(await readFile(path));
    }
  };
  await visit(folder);
  return files;
}

const beside = (name: string) => new URL(name, import.meta.url);

const node: Platform = {
  launch: inThread,
  cores: availableParallelism,
  ownEngine: async () => ({ program: await readFile(beside("./engine.js"), "utf8"), binary: new Uint8Array(await readFile(beside("./engine.wasm"))) }),
  filesOf,
};

export const load: typeof Load = (model, options) => loadOn(node, model, options);
