// For tests in a browser: small models that attune has trained, Debian's Chromium, and a page that counts errors.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { eventually, PATIENCE } from "./eventually";

export const program = process.env.ATTUNE ?? "";
export const folder = mkdtempSync(join(tmpdir(), "attune-pages-"));
const inFolder = (name: string) => join(folder, name);

export function attune(...args: string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "pipe"] });
}

export function attend(file: string, input: string, ...args: string[]): void {
  execFileSync(program, ["attend", "--format", "html", "-o", file, "-b", "3", "--max-length", "12", ...args], { cwd: folder, input, stdio: ["pipe", "pipe", "pipe"] });
}

const sums = Array.from({ length: 200 }, (_, i) => [`${i % 17} + ${i % 13}`, `${(i % 17) + (i % 13)}`]);

// An RNN and a Transformer that have seen some pairs: enough for attention that is not the same everywhere.
export function train(pairs = sums): void {
  for (const side of [0, 1]) writeFileSync(inFolder(`text.${side}`), pairs.map((pair) => `${pair[side]}\n`).join(""));
  const shared = ["--train-sets", "text.0", "text.1", "--valid-sets", "text.0", "text.1", "--vocab-kind", "char", "--dropout", "0"];
  const valid = ["--valid-metrics", "perplexity", "--valid-freq", "10u", "--disp-freq", "5u", "--after", "20u"];
  attune("train", ...shared, ...valid, "--type", "rnn", "--embedding", "8", "--hidden", "16", "--model", "rnn");
  attune(
    "train", ...shared, ...valid, "--type", "transformer", "--encoder-layers", "2", "--decoder-layers", "3", "--d-model", "16",
    "--heads", "4", "--feed-forward", "16", "--max-positions", "512", "--attend-sentence", "3 + 4", "--model", "transformer",
  );
}

let context: BrowserContext;

export async function start(offline = true, more: object = {}): Promise<void> {
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));
  if (!executablePath) throw new Error("there is no Chromium: install Debian's chromium, or name one in CHROMIUM");
  context = await chromium.launchPersistentContext(inFolder("profile"), {
    executablePath,
    headless: true,
    viewport: { width: 1280, height: 900 },
    offline,
    ...more,
    timeout: PATIENCE,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  context.setDefaultTimeout(PATIENCE);
}

export async function stop(): Promise<void> {
  await context?.close();
  rmSync(folder, { recursive: true, force: true });
}

export interface Opened {
  page: Page;
  errors: string[];
}

export const open = (file: string, hash = ""): Promise<Opened> => openAt(pathToFileURL(inFolder(file)).href + hash, /^(file|data|blob):/);

// Only addresses of its own may be asked for.
export async function openAt(address: string, own: RegExp, prepare?: (page: Page) => Promise<void>): Promise<Opened> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    if (!own.test(request.url())) errors.push(`it asked for ${request.url()}`);
  });
  await prepare?.(page);
  await page.goto(address);
  await page.waitForSelector("#app[data-ready]");
  return { page, errors };
}

export const blank = (): Promise<Page> => context.newPage();

// The page with other data.
export function withData(from: string, to: string, data: unknown): void {
  const html = readFileSync(inFolder(from), "utf8");
  const begin = html.indexOf('id="attune-data">') + 'id="attune-data">'.length;
  const json = data === undefined ? "" : JSON.stringify(data).replaceAll("<", "\\u003c");
  writeFileSync(inFolder(to), html.slice(0, begin) + json + html.slice(html.indexOf("</script>", begin)));
}

export const frames = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// What axe finds that keeps people out, once colours have come to rest.
export async function seriousFindings(page: Page): Promise<string[]> {
  await frames(page);
  await eventually(async () => assert.ok(await page.evaluate(() => document.getAnimations().every(({ playState }) => playState === "finished"))));
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async () => {
    const { violations } = await (window as any).axe.run(document, { resultTypes: ["violations"] });
    return violations.filter((each: any) => each.impact === "serious" || each.impact === "critical").map((each: any) => `${each.id}: ${each.nodes[0].html.slice(0, 160)}`);
  });
}
