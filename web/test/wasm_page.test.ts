// Pages of `attune page`, opened from disk: the engine in WebAssembly translates, attends and trains as the program does.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { deflateSync, inflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { filesOf } from "../src/engine/embedded";
import { counts, eventually, shows } from "./eventually";
import { attune, folder, program, start, stop } from "./fixture";
import { startFirefox } from "./firefox";
import { alert, opened } from "./local_page";
import { packedFiles } from "./packed_files";
import { MODELS, TEXT, trainNumbers } from "./served";

const PAIRS = "ja => yes\nnein => no\n一 => one\n二 => two";
const element = /(id="attune-models">)([^<]*)/, engine = /(id="attune-engine-wasm">)([^<]*)/;

// The page with other bytes in the files that are named so.
function damaged(from: string, to: string, name: RegExp, change: (bytes: Uint8Array) => Uint8Array): void {
  const html = readFileSync(join(folder, from), "utf8");
  const files = filesOf(inflateSync(Buffer.from(element.exec(html)![2]!, "base64")));
  assert.ok(files.some(({ path }) => name.test(path)), files.map(({ path }) => path).join());
  const others = files.map((file) => (name.test(file.path) ? { ...file, bytes: change(file.bytes) } : file));
  writeFileSync(join(folder, to), html.replace(element, (_, begin) => begin + deflateSync(packedFiles(others)).toString("base64")));
}

before(async () => {
  trainNumbers();
  attune("page", ...MODELS, "--precision", "f32", "--learn", "--title", "Zahlen", "-o", "page.html");
  attune("page", "-o", "learn.html");
  damaged("page.html", "short.html", /\/rnn\/.*safetensors$/, (bytes) => bytes.subarray(0, bytes.length / 2));
  damaged("page.html", "config.html", /\/transformer\/config.json$/, () => new TextEncoder().encode("{"));
  const html = readFileSync(join(folder, "page.html"), "utf8");
  const half = (binary: Buffer) => deflateSync(binary.subarray(0, binary.length / 2)).toString("base64");
  writeFileSync(join(folder, "engine.html"), html.replace(engine, (_, begin, packed) => begin + half(inflateSync(Buffer.from(packed, "base64")))));
  attune("quantize", "transformer", "int8");
  attune("page", "-m", "en-de=transformer", "-o", "int8.html");
  await start(true, { acceptDownloads: true });
});
after(stop);

const translation = (page: Page) => page.locator(".translation");
const go = (page: Page) => page.locator("[data-action=go]");
const status = (page: Page) => page.locator(".learn [role=status]");
const native = (model: string, text: string) => execFileSync(program, ["translate", "-m", model, "--max-length", "100"], { cwd: folder, input: `${text}\n`, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }).replace(/\n$/, "");

test("it translates as the program does, and shows where it looked", () =>
  opened("page.html", "", async ({ page }) => {
    assert.equal(await page.locator("h1").textContent(), "Zahlen");
    for (const [index, model] of ["rnn", "transformer"].entries()) {
      await page.locator("[data-name=translator]").selectOption({ index });
      await page.locator("textarea").fill(TEXT);
      await shows(translation(page), native(model, TEXT));
    }
    await page.locator(".sentence [data-action=attend], .sentence button", { hasText: "Show attention" }).first().click();
    await page.locator("[data-view=heat] .map canvas[data-geometry]").first().waitFor();
    await page.locator("#tab-heads").click();
    await page.locator(".lines").first().waitFor();
    await counts(alert(page), 0);
  }));

for (const name of ["short.html", "config.html"])
  test(`a broken model (${name}) is an error in the page, and no hang`, () =>
    opened(name, "", async ({ page }) => {
      await eventually(async () => assert.match((await alert(page).first().textContent())!, /\/models\/(rnn|transformer)/));
      await page.locator("#tab-hand").click();
      await page.locator("[data-view=hand] table").first().waitFor();
    }));

test("half an engine is an error in the page, and no hang", () =>
  opened("engine.html", "", async ({ page }) => {
    await eventually(async () => assert.match((await alert(page).first().textContent())!, /WebAssembly/));
  }));

test("8 bits give the program's translations: whole numbers are exact everywhere", () =>
  opened("int8.html", "", async ({ page }) => {
    for (const text of [TEXT, "one and one", "seven and two"]) {
      await page.locator("textarea").fill(text);
      await shows(translation(page), native("int8", text));
    }
    await counts(alert(page), 0);
  }));

// Of all processes of the browser that draw pages, in MB.
function memory(): number {
  let kilobytes = 0;
  for (const process of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const line = readFileSync(`/proc/${process}/cmdline`, "utf8");
      if (line.includes("--type=renderer") && line.includes("chrom") && ownProcess(process)) kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, "utf8"))?.[1] ?? 0);
    } catch {
      // it has ended
    }
  return kilobytes / 1024;
}

// Other tests have browsers too.
function ownProcess(id: string): boolean {
  for (let at = Number(id); at > 1; ) {
    if (at === process.pid) return true;
    at = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${at}/status`, "utf8"))![1]);
  }
  return false;
}

test("a page goes into a pipe that the user names, which stays one", async () => {
  execFileSync("mkfifo", ["pipe"], { cwd: folder });
  const reader = spawn("sh", ["-c", "cat pipe > read.html"], { cwd: folder, stdio: "ignore" });
  const ended = new Promise((done) => reader.on("close", done));
  attune("page", "-o", "pipe");
  await ended;
  assert.ok(statSync(join(folder, "pipe")).isFIFO());
  assert.deepEqual(readFileSync(join(folder, "read.html")), readFileSync(join(folder, "learn.html")));
});

// Whether it is under way, asked before the engine can have finished.
function beginTranslating(text: string): boolean {
  const field = document.querySelector("textarea")!;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  document.querySelector<HTMLElement>(".primary")!.click();
  return document.querySelector(".translation")!.hasAttribute("data-busy");
}

test("what nobody waits for any longer ends, and its memory is given back", () =>
  opened("page.html", "", async ({ page }) => {
    const cancelled = async (times: number) => {
      for (let i = 0; i < times; ++i) {
        assert.ok(await page.evaluate(beginTranslating, `${TEXT}.\n`.repeat(150) + i));
        await page.locator("textarea").fill(i % 2 ? TEXT : "two and one");
        await page.locator(".primary").click();
        await shows(translation(page), native("rnn", i % 2 ? TEXT : "two and one"));
      }
    };
    await cancelled(2);
    const before = memory();
    assert.ok(before > 50);
    await cancelled(6);
    const team = await page.evaluate(() => Math.min(4, navigator.hardwareConcurrency));
    await eventually(() => assert.ok(page.workers().length <= team, `${page.workers().length} workers`));
    await eventually(() => assert.ok(memory() < before + 60, `${memory()} MB, ${before} MB before`));
  }));

test("a tiny model learns from pairs in the page; saved, the program translates with it", () =>
  opened("learn.html", "", async ({ page }) => {
    await page.locator("[data-name=data]").selectOption("pairs of your own");
    await page.locator("textarea").fill(PAIRS);
    await page.locator("[data-name=updates]").fill("80");
    await page.locator("[data-name=updates]").press("Tab");
    await go(page).click();
    await shows(status(page), /^update 80 of 80 .*Finished/);
    await page.locator(".emerging canvas").first().waitFor();
    await page.locator(".emerging .good").first().waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-action=save]").click()]);
    await download.saveAs(join(folder, "saved.zip"));
    execFileSync("python3", ["-m", "zipfile", "-e", "saved.zip", "."], { cwd: folder });
    assert.equal(native("bahdanau", "nein"), "no");
    // On, at another rate.
    await page.locator("[data-name=rate]").fill("0.002");
    await page.locator("[data-name=updates]").fill("90");
    await page.locator("[data-name=updates]").press("Tab");
    await go(page).click();
    await shows(status(page), /^update 90 of 90/);
    await counts(alert(page), 0);
  }));

test("dates are made in the page, and a model begins to learn them, pauses and goes on", () =>
  opened("learn.html", "", async ({ page }) => {
    await go(page).click();
    const updates = async () => Number(/^update (\d+) of/.exec((await status(page).textContent())!)?.[1] ?? 0);
    await eventually(async () => assert.ok((await updates()) > 0));
    await go(page).click();
    await shows(go(page), "Go on");
    const paused = await updates();
    await go(page).click();
    await eventually(async () => assert.ok((await updates()) > paused));
    await page.locator(".emerging .samples dl").nth(3).waitFor();
    await counts(alert(page), 0);
  }));

test("the other models learn too, side by side", () =>
  opened("learn.html", "", async ({ page }) => {
    await page.locator("[data-name=data]").selectOption("pairs of your own");
    await page.locator("textarea").fill(PAIRS);
    for (const [i, plan] of ["RNN without attention", "Luong", "Transformer"].entries()) {
      await page.locator("[data-name=plan]").selectOption(plan);
      await page.locator("[data-name=updates]").fill("20");
      await page.locator("[data-name=updates]").press("Tab");
      await go(page).click();
      await shows(status(page), /^update 20 of 20 .*Finished/);
      await counts(page.locator(".emerging"), i + 1);
      await counts(page.locator(".emerging canvas"), i);
    }
    await counts(alert(page), 0);
  }));

test("Firefox opens it and translates", async () => {
  const firefox = await startFirefox(join(folder, "firefox"));
  try {
    await firefox.open(`${pathToFileURL(join(folder, "page.html")).href}#language=en&text=${encodeURIComponent(TEXT)}`);
    await eventually(async () => assert.equal(await firefox.evaluate("return document.querySelector('.translation')?.textContent"), native("rnn", TEXT)));
    assert.equal(await firefox.evaluate("return document.querySelectorAll('[role=alert]:not([hidden])').length"), 0);
  } finally {
    await firefox.close();
  }
});
