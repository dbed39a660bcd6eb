// The demo's page, as somebody opens it who has just run it: attention emerges by itself, in both models and both languages.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { address, becomes, counts, eventually, has, shows } from "./eventually";
import { attune, folder, frames, open, seriousFindings, start, stop } from "./fixture";

const PAGE = "demo/attention.html";

before(async () => {
  attune("demo", "--updates", "4", "--folder", "demo"); // four validations of each model
  await start(true, { acceptDownloads: true });
});
after(stop);

async function opened(hash: string, check: (page: Page) => Promise<void>): Promise<void> {
  const { page, errors } = await open(PAGE, hash);
  await check(page);
  await frames(page);
  assert.deepEqual(errors, []);
  await page.close();
}

const counter = (page: Page) => page.locator(".counter");

// All that the counter has said since the page was loaded.
const watch = (page: Page) =>
  page.addInitScript(() => {
    const said: string[] = ((window as any).said = []);
    new MutationObserver(() => {
      const now = document.querySelector(".counter")?.textContent;
      if (now && now !== said[said.length - 1]) said.push(now);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });

async function anew(page: Page): Promise<void> {
  await page.goto(page.url().replace(/#.*/, "?anew#language=en"));
  await page.waitForSelector("#app[data-ready]");
}

test("it opens on Training and plays by itself: maps, outputs and curves of both models", () =>
  opened("#language=en", async (page) => {
    await watch(page);
    await anew(page);
    await has(page.locator("main"), "data-view", "training");
    await becomes(() => page.locator(".emerging h3 b").allTextContents(), ["Bahdanau", "Transformer"]);
    await counts(page.locator(".emerging .map canvas"), 2);
    await becomes(() => page.evaluate(() => (window as any).said.slice(-4)), [1, 2, 3, 4].map((update) => `update ${update}`));
    await shows(page.locator("[data-action=play]"), "Play"); // it has come to the end
    await eventually(async () => assert.ok((await page.locator(".emerging .samples dl").count()) > 2));
    // What a model repeats without end stays in its place.
    const over = await page.locator(".emerging .samples dd").first().evaluate((output) => {
      output.textContent = "11:00:".repeat(40);
      return output.scrollWidth - output.clientWidth;
    });
    assert.ok(over <= 0, `${over} pixels`);
    await eventually(async () => assert.ok((await page.locator("[data-chart=exact] path").count()) === 2));
    await page.locator("main").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("Home");
    await shows(counter(page), "update 1");
    await address(page, /at=0/);
  }));

test("who wants no motion gets none", async () => {
  const { page } = await open(PAGE, "#view=heat");
  await watch(page);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await anew(page);
  await shows(page.locator("[data-action=play]"), "Play");
  await becomes(() => page.evaluate(() => (window as any).said), ["update 4"]);
  await page.close();
});

test("the layer and head of each run are chosen for it, stand in the address, and Back takes them back", () =>
  opened("#view=training&at=1&language=en", async (page) => {
    const head = page.locator("[data-run=Transformer] select[data-name=head]");
    const chosen = () => head.evaluate((menu: HTMLSelectElement) => menu.selectedIndex);
    const first = await chosen(), other = first === 1 ? 2 : 1;
    await head.selectOption({ index: other });
    await address(page, /panel=1\.\.\.\d/);
    await becomes(chosen, other);
    await page.reload();
    await page.waitForSelector("#app[data-ready]");
    await becomes(chosen, other);
    await page.goBack();
    await becomes(chosen, first);
  }));

test("curves, titles and texts are Chinese for Chinese readers", () =>
  opened("#view=training&at=1&language=zh", async (page) => {
    await shows(page.locator("h1"), "两个模型学读日期");
    await shows(page.locator("[data-chart=exact] figcaption"), "完全正确（%）");
    await shows(page.locator("[data-chart=exact] .keys-of-lines span").first(), /^Bahdanau，验证 /);
    const english = await page.locator(".charts").evaluate((charts) => charts.textContent!.match(/[A-Za-z]{3,}/g)!.filter((word) => !["Bahdanau", "Transformer"].includes(word)));
    assert.deepEqual(english, []);
    assert.deepEqual(await seriousFindings(page), []);
  }));

test("its search is a beam: the tree branches, and no sum is minus nothing", () =>
  opened("#view=steps&language=en", async (page) => {
    const nodes = () => page.locator(".beam .node").evaluateAll((all) => all.map((node) => Number(/translate\((\S+) /.exec(node.getAttribute("transform")!)![1])));
    await eventually(async () => {
      const columns = await nodes();
      assert.ok(columns.length > new Set(columns).size + 4, `${columns.length} nodes in ${new Set(columns).size} columns`);
    });
    assert.doesNotMatch((await page.locator(".beam").textContent())!, /[-−]0\.00/);
  }));

test("what emerges is saved as one picture that plays", () =>
  opened("#view=training&at=3&language=en", async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-action=svg]").click()]);
    const svg = readFileSync((await download.path())!, "utf8");
    for (const wanted of ["Bahdanau", "Transformer", "update 1", "update 4", '<animate attributeName="fill"', 'repeatCount="indefinite"']) assert.ok(svg.includes(wanted), wanted);
  }));

test("the page stays small enough to send", () => assert.ok(statSync(join(folder, PAGE)).size <= 700_000));
