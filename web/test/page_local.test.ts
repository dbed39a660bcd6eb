// A page with an engine of its own, opened from disk: here an engine that computes nothing (mock_engine.ts).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { counts, eventually, shows } from "./eventually";
import { folder, frames, open, seriousFindings, start, stop } from "./fixture";
import { alert, opened, writeLocalPage, type LocalPage } from "./local_page";
import { mockBinary, mockEngine } from "./mock_engine";

const file = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });
const page: LocalPage = {
  engine: mockEngine, binary: mockBinary, training: true, title: "Ein Übersetzer",
  models: [{ folder: "/models/0" }, { folder: "/models/1" }],
  files: [file("/models/0/model.bin", "good"), file("/models/1/model.bin", "good")],
};
const PHONE = { width: 360, height: 740 };

before(async () => {
  writeLocalPage("local.html", page);
  writeLocalPage("broken.html", { ...page, files: [file("/models/0/model.bin", "broken"), page.files[1]!] });
  writeLocalPage("no_engine.html", { ...page, engine: "var attuneEngine = () => Promise.reject(new Error('no memory'));" });
  writeLocalPage("bad_engine.html", { ...page, engine: "this is no program" });
  writeLocalPage("only_training.html", { ...page, models: [], files: [] });
  writeLocalPage("only_models.html", { ...page, training: false });
  const html = readFileSync(join(folder, "local.html"), "utf8");
  writeFileSync(join(folder, "cut.html"), html.replace(/(id="attune-models">.{20}).*?</, "$1<"));
  writeFileSync(join(folder, "network.html"), html);
  await start(true, { acceptDownloads: true });
});
after(stop);

const result = (page: Page) => page.locator(".translation");
const type = (page: Page, text: string) => page.locator("textarea").fill(text);

test("it translates as with a server; what the engine refuses is told in its words", () =>
  opened("local.html", "", async ({ page }) => {
    assert.equal(await page.locator("h1").textContent(), "Ein Übersetzer");
    await type(page, "guten tag, 世界");
    await shows(result(page), "GUTEN TAG, 世界");
    await type(page, "refuse this");
    await shows(alert(page), "this text cannot be translated");
    assert.equal(page.workers().length, 1);
  }));

test("a translation that nobody waits for is given up, and the next one comes", () =>
  opened("local.html", "", async ({ page }) => {
    await type(page, "forever");
    await eventually(async () => assert.equal(await result(page).getAttribute("data-busy"), ""));
    await type(page, "something else");
    await shows(result(page), "SOMETHING ELSE");
    await eventually(() => assert.equal(page.workers().length, 1)); // a browser takes a moment to end one that is busy
  }));

test("an engine that breaks over a text is started again for the next one", () =>
  opened("local.html", "", async ({ page }) => {
    await type(page, "crash");
    await shows(alert(page), "unreachable");
    await type(page, "better");
    await shows(result(page), "BETTER");
    await counts(alert(page), 0);
  }));

test("text is written part by part, and can be stopped", () =>
  opened("local.html", "&view=write", async ({ page }) => {
    await type(page, "slow:");
    await page.locator("[data-action=write]").click();
    await eventually(async () => assert.equal(await page.locator("textarea").inputValue(), "slow: one zwei 三"));
    await type(page, "slow forever:");
    await page.locator("[data-action=write]").click();
    await eventually(async () => assert.equal(await page.locator("textarea").inputValue(), "slow forever: one"));
    await page.locator("[data-action=stop]").click();
    await shows(page.locator(".bars button bdi"), "x");
  }));

for (const [name, message] of [["broken.html", "/models/0: model.bin is damaged"], ["no_engine.html", "no memory"], ["bad_engine.html", /SyntaxError/], ["cut.html", "attune-models in this page is damaged"]] as const)
  test(`${name} says what is wrong, and the rest of the page works`, () =>
    opened(name, "", async ({ page }) => {
      await shows(alert(page).first(), message);
      await page.locator("#tab-hand").click();
      await page.locator("[data-view=hand] table").first().waitFor();
    }));

test("a page without models only trains; one without training only translates", async () => {
  await opened("only_training.html", "", async ({ page }) => {
    assert.equal(await page.locator("main").getAttribute("data-view"), "learn");
    assert.equal(await page.locator("#tab-translate, #tab-training").count(), 0);
    await counts(alert(page), 0);
  });
  await opened("only_models.html", "&view=learn", async ({ page }) => {
    assert.equal(await page.locator("main").getAttribute("data-view"), "translate");
    assert.equal(await page.locator("#tab-learn").count(), 0);
  });
});

test("no way to the network: the browser forbids it", async () => {
  const { page, errors } = await open("network.html", "#language=en");
  const tried = await page.evaluate(async () => {
    const results: string[] = [];
    const note = (name: string, promise: Promise<unknown>) => promise.then(() => results.push(`${name} worked`), () => undefined);
    await note("fetch", fetch("http://127.0.0.1:9/"));
    await note("data", fetch("data:text/plain,x"));
    await note("blob", fetch(URL.createObjectURL(new Blob(["x"]))));
    await note("image", new Promise((done, fail) => Object.assign(new Image(), { src: "http://127.0.0.1:9/a.png", onload: done, onerror: fail })));
    await note("script", new Promise((done, fail) => document.head.append(Object.assign(document.createElement("script"), { textContent: "window.inside = 1" })) === undefined && ("inside" in window ? done(1) : fail())));
    await note("socket", new Promise((done, fail) => Object.assign(new WebSocket("ws://127.0.0.1:9/"), { onopen: done, onerror: fail })));
    return results;
  });
  assert.deepEqual(tried, []);
  for (const what of ["connect-src", "img-src", "script-src"]) assert.ok(errors.some((error) => error.includes(what) || error.includes("default-src")), what);
  await page.close();
});

// ---- Learn
const go = (page: Page) => page.locator("[data-action=go]");
const status = (page: Page) => page.locator(".learn [role=status]");

test("a model learns, pauses, goes on with another rate, and ends", () =>
  opened("local.html", "&view=learn", async ({ page }) => {
    await go(page).click();
    await shows(go(page), "Pause");
    await shows(status(page), /^update \d+ of 1,200 · loss [\d.]+ · [\d.]+% of the validation lines exactly right · 1,000 tokens\/s$/);
    await page.locator(".emerging canvas").first().waitFor();
    await go(page).click();
    await shows(go(page), "Go on");
    const paused = await status(page).textContent();
    await frames(page);
    assert.equal(await status(page).textContent(), paused);
    await page.locator("[data-name=rate]").fill("0.001");
    await page.locator("[data-name=updates]").fill("400");
    await page.locator("[data-name=updates]").press("Tab");
    await go(page).press("Enter");
    await shows(status(page), /^update 400 of 400 .*Finished/);
    const rates = page.locator("[data-chart=learning_rate]");
    assert.match((await rates.textContent())!, /0\.001/);
    assert.equal(await page.locator("[data-chart=loss]").count(), 1);
    // Twice as far.
    await page.locator("[data-name=updates]").fill("430");
    await page.locator("[data-name=updates]").press("Tab");
    await go(page).click();
    await shows(status(page), /^update 430 of 430/);
    // From the beginning.
    await page.locator("[data-action=again]").click();
    await shows(status(page), /^update \d0 of 430/);
    await shows(status(page), /^update 430 of 430/);
  }));

test("it learns on while other views are shown, and several models side by side", () =>
  opened("local.html", "&view=learn", async ({ page }) => {
    await go(page).click();
    await page.locator(".emerging canvas").first().waitFor();
    await page.locator("#tab-translate").click();
    await type(page, "meanwhile");
    await shows(result(page), "MEANWHILE"); // another engine
    assert.equal(page.workers().length, 2);
    await page.locator("#tab-learn").click();
    await shows(go(page), "Pause");
    await page.locator("[data-name=plan]").selectOption("RNN without attention");
    await shows(go(page), "Start");
    await go(page).click();
    await counts(page.locator(".emerging"), 2);
    await page.locator("[data-name=plan]").selectOption("Bahdanau");
    await shows(go(page), "Go on"); // one at a time
    await shows(page.locator(".emerging h3").nth(1), /RNN without attention/);
  }));

test("own pairs are learned, and the model is saved as a zip file", () =>
  opened("only_training.html", "", async ({ page }) => {
    await page.locator("[data-name=data]").selectOption("pairs of your own");
    assert.ok(await go(page).isDisabled());
    await page.locator("textarea").fill("eins\t1\nzwei => 2\n三 => 3");
    await shows(page.locator(".learn .hint").nth(1), /3 pairs so far/);
    await go(page).click();
    await page.locator("[data-action=save]").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-action=save]").click()]);
    assert.equal(download.suggestedFilename(), "attune-bahdanau.zip");
    const place = join(folder, "saved.zip");
    await download.saveAs(place);
    const script = "import sys, zipfile, json\nz = zipfile.ZipFile(sys.argv[1])\nprint(json.dumps([z.namelist(), z.read('bahdanau/config.json').decode()]))";
    const [names, config] = JSON.parse(execFileSync("python3", ["-c", script, place], { encoding: "utf8" }));
    assert.deepEqual(names, ["bahdanau/config.json", "bahdanau/vocabulary/source.txt"]);
    assert.equal(JSON.parse(config).lines, "eins\nzwei\n三\n");
    assert.equal(JSON.parse(config).settings.attend_sentence, "eins\t1");
  }));

test("what training refuses is told, and another value mends it", () =>
  opened("only_training.html", "", async ({ page }) => {
    await page.locator("[data-name=rate]").fill("5");
    await page.locator("[data-name=rate]").press("Tab");
    await go(page).click();
    await shows(alert(page), "learning_rate: 1 at most");
    await page.locator("[data-name=rate]").fill("0.5");
    await page.locator("[data-name=rate]").press("Tab");
    await go(page).click();
    await shows(status(page), /^update [3-9]0/);
    await counts(alert(page), 0);
    // An engine that breaks takes all with it, but not the page.
    await page.locator("[data-name=rate]").fill("0.666");
    await page.locator("[data-name=rate]").press("Tab");
    await shows(alert(page), "out of memory");
    await page.locator("[data-name=rate]").fill("0.5");
    await page.locator("[data-name=rate]").press("Tab");
    await go(page).click();
    await shows(status(page), /^update \d+ of/);
    await counts(alert(page), 0);
  }));

test("Learn is in Chinese too, fits a phone, and keeps nobody out", async () => {
  for (const theme of ["light", "dark"])
    for (const language of ["en", "zh"]) {
      const { page, errors } = await open("only_training.html", `#language=${language}`);
      await page.emulateMedia({ colorScheme: theme as "light" | "dark" });
      await page.setViewportSize(PHONE);
      await page.locator("[data-name=data]").selectOption({ index: 1 });
      await page.locator("textarea").fill("一 => 1\n二 => 2");
      await shows(go(page), language === "en" ? "Start" : "开始");
      await go(page).click();
      await page.locator(".emerging canvas").first().waitFor();
      await go(page).click();
      await shows(go(page), language === "en" ? "Go on" : "继续");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(await seriousFindings(page).catch(() => ["axe could not run"]), []);
      assert.deepEqual(errors, []);
      await page.close();
    }
});
