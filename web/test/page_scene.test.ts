// Attention over pictures, graphs and series: what people see and do.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { becomes, counts, eventually, has, shows } from "./eventually";
import { attend, attune, folder, frames, open, start, stop } from "./fixture";

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
const small = ["--type", "bert", "--layers", "1", "--d-model", "16", "--heads", "2", "--feed-forward", "16", "--source", "vectors", "--after", "3u", "--dropout", "0"];

before(async () => {
  const pixels = Array.from({ length: 64 }, (_, i) => (i % 8 < 4 ? 250 : 20));
  write("bar.pgm", Uint8Array.from([...new TextEncoder().encode("P5\n8 8\n255\n"), ...pixels]));
  write("pictures", "bar.pgm\n");
  write("kinds", "links\n");
  attune("train", ...small, "--task", "classify", "--patch", "4", "-t", "pictures", "kinds", "--model", "picture");
  write("nodes.csv", Array.from({ length: 6 }, (_, i) => `${i},${i % 2}\n`).join(""));
  write("edges.csv", "0,1\n1,2\n2,3\n3,4\n0,5\n");
  write("graph", "nodes.csv|edges.csv\n");
  write("tags", "a b a b a b\n");
  attune("train", ...small, "--task", "tag", "--visibility", "edges", "--positions", "none", "-t", "graph", "tags", "--model", "graph-run");
  write("series", "nodes.csv\n");
  attune("train", ...small, "--task", "classify", "-t", "series", "kinds", "--model", "series-run");
  attend("picture.html", "bar.pgm\n", "-m", "picture");
  attend("graph.html", "nodes.csv|edges.csv\n", "-m", "graph-run");
  attend("series.html", "nodes.csv\n", "-m", "series-run");
  await start();
});
after(stop);

async function opened(file: string, check: (page: import("playwright-core").Page) => Promise<void>): Promise<void> {
  const { page, errors } = await open(file, "#view=scene");
  await check(page);
  await frames(page);
  assert.deepEqual(errors, []);
  await page.close();
}

const weightOf = (page: import("playwright-core").Page, title: string) =>
  page.locator("svg.scene title").evaluateAll((all, name) => Number(all.find((e) => e.textContent!.startsWith(`${name} `))!.textContent!.split(/\s+/)[1]), title);

test("a picture has its patches, and pointing at one shows what it looks at", () =>
  opened("picture.html", async (page) => {
    await counts(page.locator("svg.scene rect"), 4);
    await has(page.locator("svg.scene image"), "href", /^data:image\/png;base64,/);
    let sum = 0;
    for (const patch of ["0.0", "0.1", "1.0", "1.1"]) sum += await weightOf(page, patch);
    assert.ok(Math.abs(sum - 1) < 1e-3, `${sum}`);
    await page.locator(".scene-tokens button").nth(3).hover();
    await shows(page.locator(".scene-tokens button[aria-selected=true]"), "1.1");
    await page.locator("svg.scene rect").nth(1).click();
    await shows(page.locator(".scene-tokens button[aria-selected=true]"), "0.1");
    await counts(page.locator("svg.scene .looks"), 1);
    await has(page.locator("svg.scene"), "aria-label", /0\.1$/);
  }));

test("on a phone the picture comes first and its writing keeps its size", async () => {
  const { page, errors } = await open("series.html", "#view=scene");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await page.waitForSelector("svg.scene");
  const top = async (part: string) => (await page.locator(part).first().boundingBox())!.y;
  await eventually(async () => assert.ok((await top("svg.scene")) < (await top(".scene-tokens"))));
  await becomes(() => page.locator("svg.scene").evaluate((svg) => (svg as SVGSVGElement).getScreenCTM()!.a), 1);
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 360);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a graph shows a node among its neighbours", () =>
  opened("graph.html", async (page) => {
    await counts(page.locator("svg.scene line[stroke='#e4572e']"), 2); // 0 sees 1 and 5
    await page.locator(".scene-tokens button").nth(4).click();
    await counts(page.locator("svg.scene line[stroke='#e4572e']"), 1);
  }));

test("a series is drawn over its time axis", () =>
  opened("series.html", async (page) => {
    await counts(page.locator("svg.scene rect"), 6);
    await counts(page.locator("svg.scene polyline"), 2);
    await becomes(() => page.locator("svg.scene text").allTextContents(), ["0", "1", "2", "3", "4", "5"]);
  }));
