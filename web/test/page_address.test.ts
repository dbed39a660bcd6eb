// What the address brings back beside the choices of menus: where one looks in a map, and where the story stands.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { address, becomes, counts, eventually, geometryOf, shows } from "./eventually";
import { attend, attune, frames, open, seriousFindings, start, stop, train, withData } from "./fixture";

const POSITIONS = ["sinusoidal", "learned", "rotary", "alibi"];

before(async () => {
  train();
  attend("both.html", "12 + 3\n7 + 7\n", "-m", "rnn", "-m", "transformer", "--run", "transformer");
  attend("numbers.html", "12 + 3\n", "-m", "transformer", "--numbers");
  for (const positions of POSITIONS) {
    attune("train", "--train-sets", "text.0", "text.1", "--vocab-kind", "char", "--type", "transformer", "--encoder-layers", "1", "--decoder-layers", "1", "--d-model", "16", "--heads", "2", "--feed-forward", "16", "--max-positions", "64", "--positions", positions, "--after", "1u", "--model", positions);
    attend(`${positions}.html`, "12 + 3\n", "-m", positions);
  }
  await start();
});
after(stop);

async function opened(file: string, hash: string, check: (page: Page) => Promise<void>): Promise<void> {
  const { page, errors } = await open(file, `${hash}&language=en`);
  await check(page);
  await frames(page);
  assert.deepEqual(errors, []);
  await page.close();
}

const again = async (page: Page) => {
  await page.reload();
  await page.waitForSelector("#app[data-ready]");
  await page.waitForSelector(".map canvas[data-geometry]");
};

test("zoom and place of a map stand in the address, and another reader sees the same", () =>
  opened("both.html", "#view=heat&model=1&kind=encoder", async (page) => {
    await page.locator(".map canvas").focus();
    const { cell } = await geometryOf(page);
    await page.keyboard.press("End");
    for (let i = 0; i < 3; ++i) await page.keyboard.press("+");
    await page.keyboard.press("ArrowDown");
    await address(page, /zoom=heat0_[\d.]+_[\d.]+_[\d.]+/);
    await eventually(async () => assert.ok((await geometryOf(page)).cell > cell));
    const seen = await geometryOf(page);
    await again(page);
    await eventually(async () => {
      const there = await geometryOf(page);
      for (const name of ["cell", "x", "y"] as const) assert.ok(Math.abs(there[name] - seen[name]) < 0.05 * seen.cell, `${name}: ${there[name]} is not ${seen[name]}`);
    });
    await page.locator("select[data-name=head]").selectOption({ index: 1 }); // another head, the same place
    await eventually(async () => assert.ok((await geometryOf(page)).cell > cell));
    await page.getByRole("button", { name: "fit" }).click();
    await address(page, /#(?!.*zoom=)/);
    await page.goto(page.url().replace("view=heat", "view=heat&zoom=heat0_1e9_x&zoom=nonsense")); // is no place
    await eventually(async () => assert.ok(Math.abs((await geometryOf(page)).cell - cell) < 1));
  }));

test("each map of Compare has its own, and another sentence begins anew", () =>
  opened("both.html", "#view=compare", async (page) => {
    const canvas = page.locator("[data-model='1'] .map canvas");
    await canvas.focus();
    await page.keyboard.press("+");
    await address(page, /zoom=compare1_/);
    assert.doesNotMatch(page.url(), /compare0/);
    await page.locator("select[data-name=sentence]").selectOption({ index: 1 });
    await address(page, /#(?!.*zoom=)/);
  }));

test("the story's player stands where the link says", async () => {
  await opened("both.html", "#view=story&step=1", async (page) => {
    await shows(page.locator(".counter"), "4 words");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await address(page, /scene=1/);
    await page.reload();
    await page.waitForSelector("#app[data-ready]");
    await shows(page.locator(".counter"), "8 words");
    await shows(page.locator("main .card p"), /has 1\.0 numbers for each word/);
    await page.locator("[data-name=story-1]").click(); // another step begins at its beginning
    await shows(page.locator(".counter"), /^Step 1 /);
    await address(page, /#(?!.*scene=)/);
  });
  await opened("both.html", "#view=story&step=5&scene=1", async (page) => {
    await shows(page.locator(".counter"), /update 20$/);
    await counts(page.locator(".map canvas"), 1);
  });
});

test("cosines are told with the digits that are true, and with their sign", () =>
  opened("numbers.html", "#view=states", async (page) => {
    await page.locator(".map canvas").focus();
    await page.keyboard.press("Home");
    await shows(page.locator(".readout .number").first(), "1.0"); // 16 numbers in 64 levels: one digit
    await eventually(async () => {
      await page.keyboard.press("ArrowRight");
      assert.match((await page.locator(".readout .number").first().textContent())!, /^−?[01]\.\d$/);
    });
  }));

test("Positions draws what the model uses", async () => {
  const [words, sizes] = [{ sinusoidal: /pattern of waves/, learned: /has learned a vector for each position/, rotary: /turns queries and keys/, alibi: /\(ALiBi\)/ }, { sinusoidal: 16, learned: 16, rotary: 8, alibi: 2 }] as Record<string, any>[];
  for (const positions of POSITIONS)
    await opened(`${positions}.html`, "#view=positions", async (page) => {
      await shows(page.locator("main .hint").first(), words![positions]);
      await becomes(() => page.locator("canvas.pixels").first().evaluate((canvas: HTMLCanvasElement) => canvas.width), sizes![positions]);
    });
});

test("forced colours keep what colours tell, and mark what is chosen", () =>
  opened("both.html", "#view=heat&model=1&layer=0&head=0", async (page) => {
    await page.emulateMedia({ forcedColors: "active" });
    const style = (part: string, name: string) => page.locator(part).first().evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);
    await becomes(() => style(".map canvas", "forced-color-adjust"), "none");
    await becomes(() => style(".legend i", "forced-color-adjust"), "none");
    await becomes(() => style("nav [aria-selected=true]", "outline-style"), "solid");
    assert.equal(await style("nav [aria-selected=false]", "outline-style"), "none");
    assert.deepEqual(await seriousFindings(page), []);
  }));

test("labels of columns that are narrow do not run into each other; what a mask hides is hatched however small", async () => {
  const names = Array.from({ length: 90 }, (_, i) => `${"abcdefghij"[i % 10]}w`);
  const rows = names.map((_, q) => names.map((_, k) => (k <= q ? 1 / (q + 1) : 0)));
  withData("both.html", "narrow.html", { decoder_attention: [[rows]], decoder_tokens: names, encoder_tokens: [] });
  await opened("narrow.html", "#view=heat", async (page) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await eventually(async () => assert.ok((await geometryOf(page)).cell < 5));
    const { left, top, cell } = await geometryOf(page);
    assert.ok(top > 25, `${top} pixels: they are not turned`);
    // The corner that the mask hides has two colours; none of them is that of small weights.
    const colours = await page.locator(".map canvas").evaluate(
      (canvas: HTMLCanvasElement, [x, y, side]) => {
        const ratio = devicePixelRatio, copy = document.createElement("canvas");
        copy.width = copy.height = Math.round(side! * ratio);
        const context = copy.getContext("2d")!;
        context.drawImage(canvas, -x! * ratio, -y! * ratio);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        return [...new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(4 * i, 4 * i + 3).join()))];
      },
      [left + 60 * cell, top + 5 * cell, 20 * cell],
    );
    assert.ok(colours.length >= 2 && !colours.includes("68,1,84"), colours.join(" "));
  });
});

test("a wide sheet by hand stays in a phone", () =>
  opened("both.html", "#view=hand&sheet=heads", async (page) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator("select[data-name=dHand]").selectOption("6");
    await counts(page.locator("[data-table=q] td"), 18);
    await becomes(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    assert.deepEqual(await seriousFindings(page), []);
  }));
