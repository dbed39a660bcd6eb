// What somebody understands who sees the page for the first time, on any screen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, counts, eventually, has, shows } from "./eventually";
import { attend, attune, frames, open, seriousFindings, start, stop, train, withData } from "./fixture";

before(async () => {
  train();
  attend("both.html", "12 + 3\n", "-m", "rnn", "-m", "transformer", "--run", "transformer");
  attune("train", "--type", "gpt", "--train-sets", "text.0", "--vocab-kind", "char", "--dropout", "0", "--layers", "2", "--d-model", "16", "--heads", "2", "--feed-forward", "16", "--after", "3u", "--model", "gpt");
  attend("gpt.html", "12 +\n", "-m", "gpt");
  await start();
});
after(stop);

async function opened(hash: string, check: (page: Page) => Promise<void>): Promise<void> {
  const { page, errors } = await open("both.html", hash.includes("language") ? hash : `${hash}&language=en`);
  await check(page);
  await frames(page);
  assert.deepEqual(errors, []);
  await page.close();
}

test("menus are there only where there is something to choose, and a text alone is neither source nor target", async () => {
  const menus = (page: Page) => page.locator("#view select").evaluateAll((all) => all.map((each) => each.getAttribute("data-name")));
  await opened("#view=heat&model=0", (page) => becomes(() => menus(page), ["colour"])); // an RNN has one kind, one layer, one head
  await opened("#view=heat&model=1", (page) => becomes(() => menus(page), ["kind", "layer", "head", "colour"]));
  const { page } = await open("gpt.html", "#view=heat&language=en");
  await becomes(async () => (await menus(page)).includes("kind"), false);
  await page.evaluate(() => (location.hash = "view=model&language=en"));
  await becomes(() => page.locator("#view h2").allTextContents(), ["text → text"]);
  await page.close();
});

test("maps side by side stand level, though one model has more menus than the other", () =>
  opened("#view=compare", async (page) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await counts(page.locator(".panels .map canvas[data-geometry]"), 2);
    await eventually(async () => {
      const [a, b] = await page.locator(".panels .map").evaluateAll((maps) => maps.map((map) => map.getBoundingClientRect().bottom));
      assert.ok(Math.abs(a! - b!) < 2, `${a} and ${b}`);
    });
  }));

test("a map that takes the place of another is drawn at once: nothing flickers or jumps while a run plays", () =>
  opened("#view=training", async (page) => {
    await counts(page.locator(".emerging canvas[data-geometry]"), 1);
    const drawn = await page.evaluate(() => {
      const high = () => document.querySelector(".emerging .map")!.getBoundingClientRect().height;
      const before = high();
      document.querySelector<HTMLElement>(".player button")!.click();
      return { geometry: document.querySelector<HTMLElement>(".emerging canvas")!.dataset.geometry !== undefined, grown: Math.abs(high() - before) > 1 };
    });
    assert.deepEqual(drawn, { geometry: true, grown: false });
  }));

test("a quantity that stays the same is drawn over 0, not between -1 and 1", async () => {
  const metrics = [10, 20].map((update) => ({ kind: "training", update, learning_rate: 0.008 }));
  withData("both.html", "flat.html", { sentences: [], runs: [{ name: "flat", metrics, validations: [] }] });
  const { page } = await open("flat.html", "#view=training&language=en");
  await becomes(() => page.locator(".grid + text").allTextContents(), ["0", "0.005", "0.01", "0.015"]);
  await page.close();
});

const ROWS = /^Each row is a token that was written, each column one that was read/;

test("pictures of runs and of models side by side say what rows and columns are", () =>
  opened("#view=training", async (page) => {
    await counts(page.locator(".hint", { hasText: ROWS }), 1);
    await page.locator("[data-name=kind]").selectOption({ label: "target → target" });
    await counts(page.locator(".hint", { hasText: ROWS }), 0);
    await counts(page.locator(".hint", { hasText: /^Each row is a token that the model has read so far/ }), 1);
    await page.evaluate(() => (location.hash = "view=compare&language=en"));
    await counts(page.locator(".hint", { hasText: ROWS }), 1);
    await page.evaluate(() => (location.hash = "view=story&step=3&language=en"));
    await counts(page.locator(".hint", { hasText: /^Each row is a token that looks/ }), 1);
  }));

test("the head that the story says aligns is the one with the star", async () => {
  const taught = JSON.parse(attune("attend", "-m", "transformer", "--source", "12 + 3", "--format", "json"));
  for (const head of [0, 3]) {
    withData("both.html", "taught.html", { ...taught, aligning_layer: 1, aligning_head: head });
    const { page } = await open("taught.html", "#view=story&step=3&language=en");
    await shows(page.locator("figcaption").first(), `aligns target → source, Layer 1, Head ${head}`);
    await page.close();
  }
});

test("what the story draws has names", () =>
  opened("#view=story&step=1", async (page) => {
    await becomes(() => page.locator(".diagram text").allTextContents(), ["words that are read", "one vector", "words that are written"]);
    await page.setViewportSize({ width: 360, height: 740 });
    await eventually(async () => assert.ok(await page.locator(".diagram text").first().evaluate((text: SVGTextElement) => text.getBoundingClientRect().height > 10)));
  }));

test("W^q is written with a raised q, and not with a letter that looks like phi", () =>
  opened("#view=hand&sheet=heads", async (page) => {
    await becomes(() => page.locator(".formula").first().locator("sup").allTextContents(), ["q", "k", "v"]);
    await becomes(() => page.locator("figcaption sup").allTextContents(), ["q", "k", "v", "O"]);
    await becomes(() => page.locator("#view").evaluate((view) => /ᵠ|\^/.test(view.textContent ?? "")), false);
  }));

test("numbers on cells and shaded words can be read, light and dark", () =>
  opened("#view=hand&sheet=heads", async (page) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => (location.hash = "view=hand&sheet=heads&language=en"));
      await counts(page.locator(".hand"), 1);
      assert.deepEqual(await seriousFindings(page), [], colorScheme);
      await page.evaluate(() => (location.hash = "view=heads&model=0&language=en"));
      await page.locator(".tokens.row li").first().hover();
      // As if all the weight lay there.
      await page.locator(".tokens.column li").first().evaluate((item: HTMLElement) => item.style.setProperty("--share", "1"));
      assert.deepEqual(await seriousFindings(page), [], colorScheme);
      await page.evaluate(() => (location.hash = "view=story&step=2&language=en"));
      await counts(page.locator(".chips.large"), 2);
      assert.deepEqual(await seriousFindings(page), [], colorScheme);
    }
  }));

test("small pictures of heads take the room that there is, and their names stay whole", () =>
  opened("#view=model&model=1", async (page) => {
    const width = () => page.locator(".thumb").first().evaluate((thumb) => thumb.getBoundingClientRect().width);
    for (const [screen, least, most] of [[360, 132, 180], [1440, 200, 300], [2560, 200, 300]] as const) {
      await page.setViewportSize({ width: screen, height: 900 });
      await eventually(async () => assert.ok((await width()) >= least && (await width()) <= most, `${await width()} at ${screen}`));
      await becomes(() => page.locator(".thumb .name").evaluateAll((names) => names.every((name) => name.getClientRects().length === 1 && name.getBoundingClientRect().height < 26)), true);
    }
  }));

test("long texts can be scrolled with the keyboard", () =>
  opened("#view=heat", async (page) => {
    await has(page.locator(".pair"), "tabindex", "-1");
    await page.locator(".pair .source").evaluate((source) => (source.textContent = "a long text ".repeat(200)));
    await has(page.locator(".pair"), "tabindex", "0");
    assert.deepEqual(await seriousFindings(page), []);
    await page.evaluate(() => (location.hash = "view=steps&language=en"));
    const chips = page.locator("[data-part=reads]");
    await has(chips, "tabindex", "-1");
    await chips.evaluate((reads) => reads.append(...Array.from({ length: 900 }, () => reads.firstElementChild!.cloneNode(true))));
    await has(chips, "tabindex", "0");
    assert.deepEqual(await seriousFindings(page), []);
  }));

test("a number of updates does not part from its word", () =>
  opened("#view=training", async (page) => {
    for (let width = 140; width <= 260; width += 10) {
      await page.locator(".charts").evaluate((charts: HTMLElement, width) => (charts.style.width = `${width}px`), width);
      await becomes(() => page.locator(".keys-of-lines small").evaluateAll((all) => all.length > 0 && all.every((each) => each.getClientRects().length === 1)), true);
    }
  }));

test("Chinese has Chinese commas, and what is measured in percent says so", () =>
  opened("#view=training&language=zh", async (page) => {
    await shows(page.locator("[data-chart=accuracy] figcaption"), "准确率（%）");
    await shows(page.locator("[data-chart=accuracy] .keys-of-lines span").first(), /^训练 /);
    await page.evaluate(() => (location.hash = "view=heat&cell=0.1&language=zh"));
    await shows(page.locator(".readout small").first(), "行 0，列 1");
  }));

test("both pictures of positions have a legend, and blue is above 0 everywhere", () =>
  opened("#view=positions", async (page) => {
    await counts(page.locator(".legend"), 2);
    await shows(page.locator("h3").first(), /row for each of 50 positions, a column for each of 128 dimensions$|: sinusoidal$/);
    const first = await page.locator("canvas.pixels").first().evaluate((canvas: HTMLCanvasElement) => [...canvas.getContext("2d")!.getImageData(1, 0, 1, 1).data]);
    assert.ok(first[2]! > first[0]!, `cos 0 = 1 is ${first}`);
    await has(page.locator(".legend i").first(), "style", /linear-gradient\(90deg, rgb\(103, 0, 31\)/);
  }));
