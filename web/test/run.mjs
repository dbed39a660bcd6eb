// Bundles the tests and runs them with Node's own test runner.
//
//   node test/run.mjs [ATTUNE [FILES]]           without a program only those that need none; a pattern of their files' names
//   ATTUNE=... node test/run.mjs --wasm [TESTS]  those of the engine in WebAssembly, which ./run wasm has built; a pattern of their names
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../dist/test");
const wasm = process.argv[2] === "--wasm";
const [program = "", files = ""] = wasm ? [process.env.ATTUNE] : process.argv.slice(2);
const patterns = wasm && process.argv[3] ? [`--test-name-pattern=${process.argv[3]}`] : [];
const needsEngine = (file) => file.startsWith("wasm");
const needsProgram = (file) => /^(page|serve)/.test(file);
const tests = readdirSync(here).filter((file) => file.endsWith(".test.ts") && new RegExp(files).test(file) && needsEngine(file) === wasm && (program || !needsProgram(file)));
await build({
  entryPoints: tests.map((file) => join(here, file)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  external: ["playwright-core"],
  logLevel: "warning",
});
const result = spawnSync(
  process.execPath,
  ["--test", ...patterns, ...tests.map((file) => join(out, file.replace(".ts", ".mjs")))],
  { stdio: "inherit", env: { ...process.env, ATTUNE: program }, timeout: 1_200_000 }, // milliseconds: a test that hangs fails
);
process.exit(result.status ?? 1);
