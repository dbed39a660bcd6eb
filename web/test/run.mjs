// Bundles the tests and runs them with Node's own test runner.
//
//   node test/run.mjs [ATTUNE [NAME]]     without a program only those that need none
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../dist/test");
const [program, name = ""] = process.argv.slice(2);
const needsProgram = (file) => /^(page|serve)/.test(file);
const tests = readdirSync(here).filter((file) => file.endsWith(".test.ts") && file.includes(name) && (program || !needsProgram(file)));
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
  ["--test", ...tests.map((file) => join(out, file.replace(".ts", ".mjs")))],
  { stdio: "inherit", env: { ...process.env, ATTUNE: program ?? "" } },
);
process.exit(result.status ?? 1);
