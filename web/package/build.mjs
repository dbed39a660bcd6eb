// Builds the npm package: two bundles, the types, and the engine that ./run wasm has built.
//
//   node package/build.mjs FOLDER ENGINE     a folder for `npm install`, from the folder with engine.js and engine.wasm
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [target, engine] = process.argv.slice(2);
if (!engine) throw new Error("usage: node package/build.mjs FOLDER ENGINE");

const shared = { bundle: true, minify: true, charset: "utf8", legalComments: "none", logLevel: "warning" };
const worker = await build({ ...shared, entryPoints: [join(here, "../src/engine/worker.ts")], format: "iife", target: ["es2022"], write: false });
const define = { ENGINE_WORKER: JSON.stringify(worker.outputFiles[0].text) };

await mkdir(target, { recursive: true });
await Promise.all([
  build({ ...shared, define, entryPoints: [join(here, "node.ts")], outfile: join(target, "node.js"), format: "esm", platform: "node", target: "node18" }),
  build({ ...shared, define, entryPoints: [join(here, "browser.ts")], outfile: join(target, "browser.js"), format: "esm", target: ["chrome103", "firefox113", "safari16.4"] }),
  ...["package.json", "index.d.ts", "README.md"].map((name) => copyFile(join(here, name), join(target, name))),
  ...["engine.js", "engine.wasm"].map((name) => copyFile(join(engine, name), join(target, name))),
]);
