// Builds the page: page.html with the style and the program in it, one file that needs nothing else.
//
//   node build.mjs [FILE]     dist/page.html
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "dist/page.html");

async function bundled(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome103", "firefox113", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return result.outputFiles[0].text;
}

const [page, style, program] = await Promise.all([
  readFile(join(here, "page.html"), "utf8"),
  bundled("src/style.css"),
  bundled("src/main.ts"),
]);
const html = page
  .replace("/* style */", () => style.trim())
  .replace("/* program */", () => program.trim().replaceAll("</script", "<\\/script"));
await mkdir(dirname(target), { recursive: true });
await writeFile(target, html);
