// Builds the page: page.html with the style and the program in it, one file that needs nothing else. Beside it page_local.html,
// for `attune page`: the same page, which has an engine of its own in the place of a server, and may reach no network.
//
//   node build.mjs [FILE]     dist/page.html, dist/page_local.html
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "dist/page.html");

async function bundled(entry, define = {}) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    define,
    format: "iife",
    target: ["chrome103", "firefox113", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

const page = await readFile(join(here, "page.html"), "utf8");

const written = (html, style, program) => html.replace("/* style */", () => style).replace("/* program */", () => program);

// No text in the program can end the element that contains it.
const asScript = (program) => program.replaceAll("</script", "<\\/script");

async function ordinary() {
  return written(page, await bundled("src/style.css"), asScript(await bundled("src/main.ts")));
}

// `attune page` puts the engine and the models where the comment attune-engine stands.
async function local() {
  const worker = await bundled("src/engine/worker.ts");
  const program = asScript(await bundled("src/local.ts", { ENGINE_WORKER: JSON.stringify(worker) }));
  const sum = createHash("sha256").update(program).digest("base64");
  const policy = `default-src 'none'; script-src 'sha256-${sum}' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;
  const head = `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const data = '<script type="application/json" id="attune-data">';
  const html = page.replace('<meta charset="utf-8">', () => head).replace(data, () => `<!-- attune-engine -->\n${data}`);
  return written(html, await bundled("src/local.css"), program);
}

await mkdir(dirname(target), { recursive: true });
await Promise.all([ordinary().then((html) => writeFile(target, html)), local().then((html) => writeFile(join(dirname(target), "page_local.html"), html))]);
