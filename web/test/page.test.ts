// The page as people see it: in a browser, from disk, without a network.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { address, becomes, counts, eventually, geometryOf, has, shows } from "./eventually";
import { attend, attune, folder, frames, open, start, stop, train, withData, type Opened } from "./fixture";

const SOURCE = "12 + 3", TARGET = "15";
const HOSTILE = '<script>window.hacked = 1</script> <img src=x onerror="window.hacked=1">';

let json: any; // of the Transformer

before(async () => {
  train();
  attend("both.html", `${SOURCE}\t${TARGET}\n7 + 7\n`, "-m", "rnn", "-m", "transformer");
  attend("odd.html", `${HOSTILE}\t5\nשלום עולם ‮abc\t1\n😀👨‍👩‍👧 9\t2\n\n1\t\n`, "-m", "transformer");
  json = JSON.parse(attune("attend", "-m", "transformer", "--source", SOURCE, "--target", TARGET, "--format", "json"));
  await start();
});
after(stop);

const readout = (page: Page) => page.locator(".readout").first();
const view = (name: string, more = "") => `#view=${name}${more}`;

async function opened(file: string, hash: string, check: (opened: Opened) => Promise<void>): Promise<void> {
  const result = await open(file, hash);
  await check(result);
  await frames(result.page);
  assert.deepEqual(result.errors, []);
  await result.page.close();
}

test("the heat map tells each weight of the JSON, by keys and by pointer", () =>
  opened("both.html", view("heat", "&model=1&layer=2&head=1"), async ({ page }) => {
    const weights = json.cross_attention[2][1];
    await page.locator(".map canvas").focus();
    for (let q = 0; q < weights.length; ++q) {
      for (let k = 0; k < weights[q].length; ++k) {
        await page.keyboard.press(k === 0 ? "Home" : "ArrowRight");
        await shows(readout(page), new RegExp(`row ${q}, column ${k}$`));
        const told = (await readout(page).textContent())!;
        assert.ok(told.includes(json.decoder_outputs[q]) && told.includes(json.encoder_tokens[k]), told);
        const number = Number(await readout(page).locator(".number").textContent());
        assert.ok(Math.abs(number - weights[q][k]) < 1e-4, `${number} at ${q}, ${k} is not ${weights[q][k]}`);
      }
      await page.keyboard.press("ArrowDown");
    }
    await geometryOf(page);
    const box = (await page.locator(".map canvas").boundingBox())!;
    await page.mouse.move(box.x + box.width / 3, box.y + box.height - 8);
    await shows(readout(page), new RegExp(`row ${weights.length - 1},`));
  }));

test("layers, heads, kinds and colours are chosen by menus and by keys, and stand in the address", () =>
  opened("both.html", view("heat", "&model=1"), async ({ page }) => {
    const value = (name: string) => page.locator(`select[data-name=${name}]`).evaluate((e: HTMLSelectElement) => e.selectedOptions[0]!.text);
    for (const name of ["layer", "head"]) await eventually(async () => assert.match(await value(name), /^\d ★$/)); // the sharpest
    await page.locator("select[data-name=layer]").selectOption({ index: 1 });
    await page.locator("select[data-name=head]").selectOption({ index: 0 });
    await page.keyboard.press("]");
    await page.keyboard.press(".");
    await eventually(async () => assert.deepEqual([(await value("layer"))[0], (await value("head"))[0]], ["2", "0"]));
    await becomes(() => value("colour"), "up to the maximum");
    for (const colour of ["up to 1", "logarithmic"]) {
      await page.keyboard.press("l");
      await becomes(() => value("colour"), colour);
    }
    await page.locator("select[data-name=kind]").selectOption({ label: "source → source" });
    await address(page, /kind=encoder/);
    await page.keyboard.press("3");
    await has(page.locator("main"), "data-view", "model");
  }));

// The colour of the canvas at a point, and that of the read-out's swatch.
const coloursAt = (page: Page, x: number, y: number) =>
  page.locator(".map canvas").evaluate(
    (canvas: HTMLCanvasElement, [x, y]) => {
      const copy = document.createElement("canvas");
      const context = copy.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(canvas, -x! * devicePixelRatio, -y! * devicePixelRatio);
      const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
      return [`rgb(${r}, ${g}, ${b})`, getComputedStyle(document.querySelector(".readout .swatch")!).backgroundColor];
    },
    [x, y],
  );

test("cells have the colours of their weights, and zoom makes them larger", () =>
  opened("both.html", view("heat", "&model=1&layer=0&head=0&scale=log"), async ({ page }) => {
    const canvas = page.locator(".map canvas");
    const { left, top, cell } = await geometryOf(page);
    const box = (await canvas.boundingBox())!;
    const colours = new Set<string>();
    for (let k = 0; k < json.encoder_tokens.length; ++k) {
      const x = left + (k + 0.5) * cell, y = top + 1.5 * cell;
      await page.mouse.move(box.x + x, box.y + y);
      await shows(readout(page), new RegExp(`row 1, column ${k}$`));
      await eventually(async () => {
        const [drawn, swatch] = await coloursAt(page, x, y);
        assert.equal(drawn, swatch);
        colours.add(swatch!);
      });
    }
    assert.ok(colours.size > 1);
    await canvas.focus();
    for (const [key, larger] of [["+", true], ["0", false]] as const) {
      await page.keyboard.press(key);
      await eventually(async () => assert.equal((await geometryOf(page)).cell > cell, larger));
    }
  }));

test("the head view tells the strongest of each token and turns heads off", () =>
  opened("both.html", view("heads", "&model=1&layer=1"), async ({ page }) => {
    await page.locator(".tokens.row li").nth(1).hover();
    const strongest = Math.max(...json.cross_attention[1].flatMap((head: number[][]) => head[1]!));
    await eventually(async () => assert.ok(Math.abs(Number(await readout(page).locator(".number").first().textContent()) - strongest) < 1e-4));
    await page.locator(".square").nth(0).dblclick();
    await counts(page.locator('.square[aria-pressed="true"]'), 1);
    await page.locator(".tokens.row li").nth(0).hover();
    const own = Math.max(...json.cross_attention[1][0][0]);
    await eventually(async () => assert.ok(Math.abs(Number(await readout(page).locator(".number").first().textContent()) - own) < 1e-4));
    await page.locator(".tokens.row li").first().focus();
    await page.keyboard.press("ArrowDown");
    await has(page.locator(".tokens.row li.own"), "data-index", "1");
  }));

test("the model view has every head, sorts by what they do, and enlarges one", () =>
  opened("both.html", view("model", "&model=1"), async ({ page }) => {
    await counts(page.locator(".thumb"), (2 + 3 + 3) * 4);
    await page.locator("select[data-name=sort]").selectOption({ label: "entropy" });
    await eventually(async () => {
      const scores = await page.locator(".thumb[data-kind=encoder] [data-score=entropy] b").allTextContents();
      assert.deepEqual(scores, [...scores].sort((a, b) => Number(b) - Number(a)));
    });
    const entropy = (rows: number[][]) =>
      rows.reduce((sum, row) => sum - row.reduce((s, p) => s + (p > 0 ? p * Math.log2(p) : 0), 0), 0) / rows.length / Math.log2(rows[0]!.length);
    const shown = await page.locator('.thumb[data-kind=encoder][data-layer="1"][data-head="2"] [data-score=entropy] b').textContent();
    assert.ok(Math.abs(Number(shown) - entropy(json.encoder_attention[1][2])) < 0.0051);
    await page.locator('.thumb[data-kind=cross][data-layer="2"][data-head="3"]').click();
    await address(page, /view=heat.*kind=cross.*layer=2.*head=3/);
  }));

test("the step view plays, and shows candidates with their probabilities", () =>
  opened("both.html", view("steps", "&model=1"), async ({ page }) => {
    await shows(page.locator(".counter"), `Step 1 / ${json.decoder_outputs.length}`);
    const path = json.tree.filter((node: { on_result: boolean }) => node.on_result);
    const bars = () => page.locator(".bar:not(.rest)").evaluateAll((all) => all.map((bar) => Number((bar as HTMLElement).dataset.p).toFixed(6)));
    const expected = (step: number) => path[step].candidates.map((c: { p: number }) => c.p.toFixed(6));
    await becomes(bars, expected(0));
    await page.keyboard.press("ArrowRight");
    await shows(page.locator(".counter"), `Step 2 / ${json.decoder_outputs.length}`);
    await becomes(bars, expected(1));
    await page.locator("select[data-name=layer]").selectOption({ index: 1 });
    await page.locator("select[data-name=head]").selectOption({ index: 0 });
    await shows(page.locator(".counter"), `Step 2 / ${json.decoder_outputs.length}`); // it stays
    const mean = (k: number) => json.cross_attention[1].reduce((sum: number, head: number[][]) => sum + head[1]![k]!, 0) / 4;
    await eventually(async () => {
      const chips = await page.locator("[data-part=reads] .chip").evaluateAll((all) => all.map((chip) => Number((chip as HTMLElement).dataset.weight)));
      assert.ok(chips.length > 0);
      chips.forEach((weight, k) => assert.ok(Math.abs(weight - mean(k)) < 1e-4));
    });
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await shows(page.locator(".counter"), /^Step 2/);
    await page.keyboard.press(" ");
  }));

test("a beam is shown with all its hypotheses", () =>
  opened("both.html", view("steps", "&sentence=1&model=1"), async ({ page }) => {
    await page.keyboard.press("End");
    await eventually(async () => assert.ok((await page.locator(".beam .node").count()) > 4));
    await page.locator(".beam .node").nth(1).click();
    await counts(page.locator(".beam .node.marked"), 1);
  }));

test("two models stand side by side, each with its own choice", () =>
  opened("both.html", view("compare"), async ({ page }) => {
    await counts(page.locator("figure .map canvas"), 2);
    await becomes(() => page.locator("figcaption b").allTextContents(), ["rnn", "transformer"]);
    const head = (model: number) => page.locator("figure").nth(model).locator("select[data-name=head]");
    await head(1).selectOption({ index: 3 });
    await becomes(() => head(1).evaluate((e: HTMLSelectElement) => e.selectedIndex), 3);
    await counts(head(0), 0); // it has only one
  }));

test("numbers by hand follow at once", () =>
  opened("both.html", view("hand"), async ({ page }) => {
    const output = () => page.locator("[data-table=output] td").allTextContents();
    await becomes(output, ["1.6", "2", "2.4"]);
    await page.locator("[data-cell=wv00]").fill("11");
    await becomes(output, ["7.6", "4", "4.4"]);
    await page.locator("[data-cell=wv00]").fill("");
    await becomes(output, ["7.6", "4", "4.4"]);
    await page.locator("[data-name=causal]").check();
    await eventually(async () => assert.equal((await output())[0], "11"));
    await shows(page.locator("[data-table=scaled] td").nth(2), "−∞"); // row 0 sees itself alone
    const address = page.url();
    await page.getByRole("button", { name: "Start again" }).click();
    await becomes(output, ["1.6", "2", "2.4"]);
    await page.goto(address); // brings one's own sheet back
    await eventually(async () => assert.equal((await output())[0], "11"));
    await page.locator("select[data-name=preset]").selectOption({ label: "Two heads, whole block" });
    await counts(page.locator("[data-table=z] td"), 12);
    await page.locator("[data-name=words]").fill("a b");
    await page.keyboard.press("Enter");
    await counts(page.locator("[data-table=z] td"), 8);
    await page.locator("[data-name=hideAnswers]").check();
    const answer = page.locator("[data-answer=q00]");
    await answer.fill("1");
    await becomes(() => answer.evaluate((input) => input.classList.contains("good")), true);
    await answer.fill("7");
    await becomes(() => answer.evaluate((input) => input.classList.contains("bad")), true);
    await page.locator("summary").click();
    await shows(page.locator("details p"), /query is the decoder's state/);
  }));

test("positions have their picture, curves and numbers", () =>
  opened("both.html", view("positions"), async ({ page }) => {
    const picture = page.locator("canvas.pixels").first();
    await becomes(() => picture.evaluate((c: HTMLCanvasElement) => [c.width, c.height]), [128, 50]); // the RNN has none of its own
    await picture.focus();
    await page.keyboard.press("ArrowRight");
    await shows(readout(page), /position\s10, dimension\s1−0\./);
    await shows(readout(page).locator(".number"), Math.cos(10).toFixed(4).replace("-", "−"));
    const curves = await page.locator(".chart path").count();
    await picture.click({ position: { x: 300, y: 40 } });
    await counts(page.locator(".chart path"), curves + 1);
  }));

test("the interface speaks Chinese, knows light and dark, and lists its keys", () =>
  opened("both.html", view("heat"), async ({ page }) => {
    await page.locator("button[data-name=language]").click();
    await shows(page.getByRole("tab").first(), "热力图");
    await has(page.locator("html"), "lang", "zh-CN");
    await page.locator("button[data-name=language]").click();
    await page.locator("button[data-name=theme]").click();
    await page.locator("button[data-name=theme]").click();
    await has(page.locator("html"), "data-theme", "dark");
    await page.locator("button[data-name=theme]").click();
    await page.keyboard.press("?");
    await counts(page.locator("dialog li"), 8);
    await page.keyboard.press("Escape");
    await page.getByRole("tab").first().focus();
    await page.keyboard.press("ArrowRight");
    await has(page.locator("main"), "data-view", "heads");
  }));

test("markup in tokens, text from right to left, emoji, an empty and a short sentence are shown in every view", async () => {
  for (let sentence = 0; sentence < 5; ++sentence)
    await opened("odd.html", view("heat", `&sentence=${sentence}`), async ({ page }) => {
      for (const key of ["1", "2", "3", "4", "5"]) {
        await page.keyboard.press(key);
        await frames(page);
      }
      assert.equal(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
      const wanted = [HOSTILE, "שלום", "👨‍👩‍👧"][sentence];
      if (wanted) await eventually(async () => assert.ok((await page.locator("header").textContent())!.includes(wanted)));
      await page.keyboard.press("1");
      if (sentence === 3) await shows(page.locator("main"), /no tokens/);
    });
});

test("weights that are no numbers are refused with a sentence", async () => {
  const bad = { ...json, cross_attention: [[[[null, 1], [1, 0]]]] };
  withData("both.html", "bad.html", bad);
  await opened("bad.html", "", async ({ page }) => {
    await shows(page.getByRole("alert"), /This cannot be shown: .*cross_attention/);
  });
});

test("without data it opens a JSON file of attune", async () => {
  withData("both.html", "empty.html", undefined);
  writeFileSync(join(folder, "one.json"), JSON.stringify(json));
  await opened("empty.html", "", async ({ page }) => {
    await has(page.locator("main"), "data-view", "hand");
    await page.keyboard.press("1");
    await page.locator("input[type=file]").setInputFiles(join(folder, "one.json"));
    await page.waitForSelector(".map canvas");
  });
});

test("a run shows curves, and how attention emerges", async () => {
  attune("attend", "--run", "transformer", "--format", "html", "-o", "run.html");
  await opened("run.html", "", async ({ page }) => {
    await has(page.locator("main"), "data-view", "training");
    await eventually(async () => assert.ok((await page.locator("[data-chart=perplexity] path").count()) >= 2)); // training and validation
    await shows(page.locator(".counter"), "update 20");
    await page.locator("main").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("ArrowLeft");
    await shows(page.locator(".counter"), "update 10");
    await counts(page.locator(".map canvas"), 1);
    await eventually(async () => assert.ok((await page.locator(".samples dl").count()) > 0));
  });
});

// Weights of a peak that walks along the diagonal.
function synthetic(tokens: number, layers: number, heads: number): unknown {
  const rows: number[][] = Array.from({ length: tokens }, (_, q) => Array.from({ length: tokens }, (_, k) => (k === q ? 0.5 : k === q - 1 ? 0.5 : 0)));
  rows[0]![0] = 1;
  const names = Array.from({ length: tokens }, (_, i) => `t${i}`);
  return { encoder_attention: Array(layers).fill(Array(heads).fill(rows)), encoder_tokens: names };
}

test("200 tokens, 6 layers of 8 heads stay smooth; 2,000 tokens open", async () => {
  withData("both.html", "long.html", synthetic(200, 6, 8));
  await opened("long.html", view("heat"), async ({ page }) => {
    await page.locator(".map canvas").focus();
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" }); // the page's own time, whatever else runs
    const worked = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")!.value;
    const before = await worked();
    for (let i = 0; i < 20; ++i) await page.keyboard.press(i % 2 ? "ArrowRight" : "ArrowDown");
    for (const key of ["]", ".", "2", "3", "1"]) {
      await page.keyboard.press(key);
      await frames(page);
    }
    const seconds = (await worked()) - before;
    assert.ok(seconds > 0 && seconds < 4, `${seconds} s`);
  });
  withData("both.html", "longest.html", synthetic(2000, 1, 1));
  await opened("longest.html", view("heat"), async ({ page }) => {
    await page.locator(".map canvas").focus();
    await page.keyboard.press("End");
    await shows(readout(page), /t0 → t1999/);
    for (const key of ["+", "+", "+", "+", "2", "3"]) {
      await page.keyboard.press(key);
      await frames(page);
    }
  });
});
