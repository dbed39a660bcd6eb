// The page on paper.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, counts, eventually, geometryOf } from "./eventually";
import { attend, frames, open, start, stop, train } from "./fixture";

before(async () => {
  train();
  attend("both.html", "12 + 3\n", "-m", "rnn", "-m", "transformer", "--numbers");
  await start(true, { hasTouch: true });
});
after(stop);

async function opened(hash: string, check: (page: Page) => Promise<void>): Promise<void> {
  const { page, errors } = await open("both.html", `${hash}&language=en`);
  await check(page);
  await frames(page);
  assert.deepEqual(errors, []);
  await page.close();
}

const say = (page: Page, event: "beforeprint" | "afterprint") => page.evaluate((event) => void window.dispatchEvent(new Event(event)), event);

test("the sheet by hand is one page, and controls are not printed", () =>
  opened("#view=hand&sheet=heads", async (page) => {
    const pdf = await page.pdf({ format: "A4", landscape: true });
    assert.equal([...pdf.toString("latin1").matchAll(/\/Type\s*\/Page\b/g)].length, 1);
    await page.emulateMedia({ media: "print" });
    await becomes(() => page.locator("nav").isVisible(), false);
    await becomes(() => page.locator(".share").isVisible(), false);
  }));

// Of what stands to the left of the map: how light its lightest, and how dark its darkest point is.
const labels = (page: Page, left: number) =>
  page.locator(".map canvas").evaluate((canvas: HTMLCanvasElement, left) => {
    const copy = document.createElement("canvas");
    copy.width = Math.floor((left - 8) * devicePixelRatio);
    copy.height = canvas.height;
    const context = copy.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height), lights: number[] = [];
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]! > 250) lights.push(data[i]!);
    return [Math.min(...lights), Math.max(...lights)];
  }, left);

test("who reads in the dark prints dark letters", () =>
  opened("#view=heat&model=1", async (page) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.reload();
    await page.waitForSelector(".map canvas[data-geometry]");
    const { left } = await geometryOf(page);
    await eventually(async () => assert.ok((await labels(page, left))[1]! > 140));
    await say(page, "beforeprint");
    await eventually(async () => assert.ok((await labels(page, left))[1]! < 120));
    await say(page, "afterprint");
    await eventually(async () => assert.ok((await labels(page, left))[1]! > 140));
  }));

test("lines between tokens are printed whole, not what the window shows of them", () =>
  opened("#view=heads&model=1", async (page) => {
    const tokens = await page.locator(".tokens li").count();
    await say(page, "beforeprint");
    await page.emulateMedia({ media: "print" });
    await counts(page.locator(".paper svg text"), 1 + tokens); // and the caption
    await becomes(() => page.locator(".paper").isVisible(), true);
    await becomes(() => page.locator(".lines").isVisible(), false);
    await say(page, "afterprint");
    await page.emulateMedia({ media: "screen" });
    await counts(page.locator(".paper svg"), 0);
    await becomes(() => page.locator(".lines").isVisible(), true);
  }));

test("tables that scroll on a screen fit the paper", () =>
  opened("#view=heat&model=1&kind=cross&layer=1&head=2&cell=0.2", async (page) => {
    await page.setViewportSize({ width: 703, height: 900 }); // A4 without its margins
    await page.emulateMedia({ media: "print" });
    // A sentence of 24 tokens.
    await page.locator(".wide-table table").first().evaluate((table: HTMLTableElement) => {
      table.style.setProperty("--columns", "24");
      for (const row of table.rows) while (row.cells.length < 25) row.append(row.cells[row.cells.length - 1]!.cloneNode(true));
    });
    await becomes(() => page.locator(".wide-table").first().evaluate((frame) => frame.scrollWidth - frame.clientWidth <= 1), true);
  }));
