// In a browser: the engine in a worker, models from files that the page has.
import { inBrowser } from "../src/engine/browser";
import { loadOn, type Platform } from "./attune";
import type { load as Load } from "./index";

async function fetched(name: string): Promise<Response> {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  return response;
}

const browser: Platform = {
  launch: inBrowser,
  cores: () => navigator.hardwareConcurrency,
  ownEngine: async () => ({ program: await (await fetched("./engine.js")).text(), binary: new Uint8Array(await (await fetched("./engine.wasm")).arrayBuffer()) }),
  filesOf: (folder) => Promise.reject(new Error(`a browser has no folders: give the files of ${folder} instead`)),
};

export const load: typeof Load = (model, options) => loadOn(browser, model, options);
