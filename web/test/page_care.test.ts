// The page for everybody: fingers, keyboards, screen readers, printers, and those to whom one sends it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { address, becomes, counts, eventually, geometryOf, has, shows } from "./eventually";
import { attend, attune, folder, frames, open, seriousFindings, start, stop, train, withData, type Opened } from "./fixture";

const VIEWS = ["heat", "heads", "model", "steps", "compare", "states", "hand", "positions", "training", "story"];

let json: any; // of the Transformer

before(async () => {
  train();
  attend("both.html", "12 + 3\t15\n7 + 7\n", "-m", "rnn", "-m", "transformer", "--run", "transformer");
  attend("numbers.html", "12 + 3\n", "-m", "rnn", "-m", "transformer", "--numbers");
  attend("heads.html", "", "-m", "transformer", "--ablate", "text.0", "text.1");
  json = JSON.parse(attune("attend", "-m", "transformer", "--source", "12 + 3", "--target", "15", "--format", "json"));
  await start(true, { hasTouch: true, acceptDownloads: true });
});
after(stop);

const PHONE = { width: 360, height: 740 };
const readout = (page: Page) => page.locator(".readout").first();

async function opened(file: string, hash: string, check: (opened: Opened) => Promise<void>): Promise<void> {
  const result = await open(file, hash.includes("language") ? hash : `${hash}&language=en`);
  await check(result);
  await frames(result.page);
  assert.deepEqual(result.errors, []);
  await result.page.close();
}

// Another address, until the page has followed it.
const go = async (page: Page, hash: string) => {
  await page.evaluate(
    (hash) =>
      new Promise<void>((done) => {
        const before = location.hash;
        addEventListener("hashchange", () => done(), { once: true });
        location.hash = hash;
        if (location.hash === before) done();
      }),
    hash.includes("language") ? hash : `${hash}&language=en`,
  );
  await frames(page);
};

test("a finger selects the row that it taps, and nothing jumps", () =>
  opened("both.html", "#view=heads&model=1", async ({ page }) => {
    await page.setViewportSize(PHONE);
    const rows = page.locator(".tokens.column li");
    const place = () => page.locator(".lines").evaluate((lines) => lines.getBoundingClientRect().top + scrollY);
    const before = await place();
    for (const row of [5, 2, 4]) {
      await rows.nth(row).tap();
      await has(page.locator(".tokens li.own"), "data-index", String(row));
      assert.equal(await place(), before);
    }
    await go(page, "view=heat&model=1");
    const { left, top, cell } = await geometryOf(page), box = (await page.locator(".map canvas").boundingBox())!;
    await page.touchscreen.tap(box.x + left + 2.5 * cell, box.y + top + 1.5 * cell);
    await shows(readout(page), /row 1, column 2$/);
  }));

test("no view scrolls sideways on a phone, with either language, nor at 200%", () =>
  opened("both.html", "#view=heat", async ({ page }) => {
    for (const language of ["en", "zh"])
      for (const width of [360, 640]) {
        await page.setViewportSize({ width, height: 740 });
        for (const view of VIEWS) {
          await go(page, `view=${view}&model=1&language=${language}`);
          await eventually(async () => assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${view} at ${width} in ${language}`));
        }
      }
  }));

test("axe finds nothing serious in any view, light and dark", () =>
  opened("numbers.html", "#view=heat", async ({ page }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const view of VIEWS) {
        await go(page, `view=${view}&model=1&layer=0&head=1&cell=0.1`);
        assert.deepEqual(await seriousFindings(page), [], `${view}, ${colorScheme}`);
      }
    }
  }));

test("what is chosen inside Compare, States and Positions stands in the address, and Back returns to it", async () => {
  await opened("both.html", "#view=compare", async ({ page }) => {
    const layer = page.locator("[data-model='1'] select[data-name=layer]");
    const first = await layer.evaluate((menu: HTMLSelectElement) => menu.selectedIndex);
    await layer.selectOption({ index: 2 });
    await address(page, /panel=1\.\.2\./);
    await page.reload();
    await page.waitForSelector("#app[data-ready]");
    await becomes(() => layer.evaluate((menu: HTMLSelectElement) => menu.selectedIndex), 2);
    await page.goBack();
    await becomes(() => layer.evaluate((menu: HTMLSelectElement) => menu.selectedIndex), first);
  });
  await opened("numbers.html", "#view=states&model=1", async ({ page }) => {
    await page.locator("select[data-name=stack]").selectOption({ index: 1 });
    await address(page, /stack=decoder/);
    await page.keyboard.press("ArrowLeft");
    await address(page, /depth=1/);
    await page.reload();
    await page.waitForSelector("#app[data-ready]");
    await shows(page.locator(".counter"), /Layer 1/);
    await page.goBack();
    await becomes(() => page.locator("select[data-name=stack]").evaluate((menu: HTMLSelectElement) => menu.selectedIndex), 0);
  });
  await opened("both.html", "#view=positions", async ({ page }) => {
    await page.locator("canvas.pixels").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await address(page, /position=11/);
    await page.keyboard.press("Enter");
    await address(page, /dimensions=/);
    await page.goBack();
    await address(page, /#(?!.*dimensions=)/);
  });
});

// A choice, what the address then says, and whether it is shown; the page that is loaded anew shows it too, and Back takes it back.
test("choices of the other views stand in the address as well", async () => {
  const chosen = (file: string, hash: string, choose: (page: Page) => Promise<void>, says: RegExp, shown: (page: Page) => Promise<boolean>) =>
    opened(file, hash, async ({ page }) => {
      assert.equal(await shown(page), false, says.source);
      await choose(page);
      await address(page, says);
      await becomes(() => shown(page), true);
      await page.reload();
      await page.waitForSelector("#app[data-ready]");
      await becomes(() => shown(page), true);
      await page.goBack();
      await becomes(() => shown(page), false);
    });
  const pressed = (selector: string) => async (page: Page) => (await page.locator(selector).getAttribute("aria-pressed")) === "false";
  const checked = (name: string) => (page: Page) => page.locator(`[data-name=${name}]`).isChecked();
  const value = (name: string, wanted: string) => async (page: Page) => (await page.locator(`[data-name=${name}]`).inputValue()) === wanted;
  await chosen("both.html", "#view=model&model=1", async (page) => void (await page.locator("select[data-name=sort]").selectOption({ label: "diagonal" })), /order=diagonal/, (page) => page.locator("[data-score=diagonal].chosen").first().isVisible());
  await chosen("both.html", "#view=heads&model=1", (page) => page.locator(".square").nth(2).click(), /lit=0\.1\.3/, pressed(".square >> nth=2"));
  await chosen("both.html", "#view=heads&model=1", (page) => page.locator("[data-name=least]").fill("0.2"), /least=0\.2/, value("least", "0.2"));
  await chosen("both.html", "#view=steps&model=1&sentence=1&step=2", (page) => page.locator(".beam .node").nth(1).click(), /node=\d/, async (page) => (await page.locator(".beam .node").nth(1).getAttribute("class"))!.includes("marked"));
  await chosen("both.html", "#view=hand", (page) => page.locator("[data-name=hideAnswers]").click(), /hide=1/, checked("hideAnswers"));
  await chosen("both.html", "#view=hand", async (page) => void (await page.locator("select[data-name=preset]").selectOption({ index: 2 })), /sheet=/, async (page) => (await page.locator("select[data-name=preset]").evaluate((menu: HTMLSelectElement) => menu.selectedIndex)) === 2);
  await chosen("both.html", "#view=story&step=4", (page) => page.locator("[data-name=with-positions]").click(), /ordered=1/, checked("with-positions"));
});

test("what the model loses without each head is a picture, an order and a number of each head", async () => {
  const rows = attune("attend", "-m", "transformer", "--ablate", "text.0", "text.1").trimEnd().split("\n").slice(1).map((line) => line.split("\t"));
  const [best, head, loss] = rows[0]!, [stack, layer, kind] = best!.split("."), own = kind === "cross" ? "cross" : stack!;
  await opened("heads.html", "#language=en", async ({ page }) => {
    await has(page.locator("main"), "data-view", "model"); // it opens there, with the first line of the test set
    await counts(page.locator("[data-part=importance] td button"), rows.length);
    await page.locator("select[data-name=sort]").selectOption({ label: "importance" });
    await address(page, /order=importance/);
    const first = page.locator(`.thumb[data-kind=${own}]`).first();
    await has(first, "data-head", head!);
    await shows(first.locator("[data-score=importance] b"), Number(loss).toFixed(3));
    await page.locator("button[data-name=language]").click();
    await shows(page.locator("[data-part=importance] figcaption"), "去掉每个头，模型损失多少");
    await page.locator(`[data-part=importance] button[aria-label$="${Number(loss).toFixed(3)}"]`).first().click();
    await address(page, new RegExp(`view=heat.*kind=${own}.*layer=${layer!.slice(5)}.*head=${head}`));
  });
});

test("menus for sentence and model are there only where they do something", () =>
  opened("both.html", "#view=heat", async ({ page }) => {
    const menus = () => page.locator("header select").count();
    await becomes(menus, 2);
    for (const view of ["hand", "positions", "training", "story"]) {
      await go(page, `view=${view}`);
      await eventually(async () => assert.equal(await menus(), 0, view));
    }
  }));

test("a window that changes its size keeps the zoom; labels that are left out are told", () =>
  opened("both.html", "#view=heat&model=1&kind=encoder", async ({ page }) => {
    const wide = () => page.locator(".map canvas").evaluate((canvas) => canvas.clientWidth);
    await page.locator(".map canvas").focus();
    const first = await wide();
    await page.setViewportSize({ width: 500, height: 800 });
    await eventually(async () => assert.ok((await wide()) < first)); // drawn for the new size
    await page.keyboard.press("End");
    for (let i = 0; i < 3; ++i) await page.keyboard.press("+");
    await eventually(async () => assert.ok((await geometryOf(page)).cell > 40));
    const before = await geometryOf(page), width = await wide();
    await page.setViewportSize({ width: 470, height: 780 });
    await eventually(async () => assert.ok((await wide()) < width));
    const after = await geometryOf(page);
    assert.ok(after.cell > 40 && Math.abs(after.x - before.x) < 2, JSON.stringify([before, after]));
    await shows(page.locator(".thinned"), "");
  }));

test("thinned labels are marked as such", async () => {
  const names = Array.from({ length: 120 }, (_, i) => `t${i}`), row = names.map(() => 1 / 120);
  withData("both.html", "many.html", { encoder_attention: [[names.map(() => row)]], encoder_tokens: names });
  await opened("many.html", "#view=heat", async ({ page }) => {
    await page.setViewportSize(PHONE);
    await frames(page);
    await shows(page.locator(".thinned"), /^1 label in \d+ is shown/);
  });
});

test("colours go up to the greatest weight, masked cells are hatched and told", async () => {
  withData("both.html", "masked.html", { decoder_attention: [[[[1, 0, 0], [0.4, 0.6, 0], [0.2, 0.2, 0.6]]]], decoder_tokens: ["<s>", "a", "b"], encoder_tokens: [] });
  await opened("masked.html", "#view=heat", async ({ page }) => {
    await page.locator(".map canvas").focus();
    await page.keyboard.press("End");
    await shows(readout(page), /<s> → bmasked/);
    await counts(page.locator(".legend .hatched"), 1);
  });
  const weak = { cross_attention: [[[[0.25, 0.15, 0.3, 0.3]]]], encoder_tokens: ["a", "b", "c", "d"], decoder_tokens: ["x"] };
  withData("both.html", "weak.html", weak);
  await opened("weak.html", "#view=heat", async ({ page }) => {
    await page.locator(".map canvas").focus();
    await page.keyboard.press("End");
    await becomes(() => page.locator(".swatch").evaluate((swatch) => getComputedStyle(swatch).backgroundColor), "rgb(253, 231, 37)");
    await shows(page.locator(".legend").first(), /^00\.3$/);
  });
});

test("the title and the text of a document follow the language; the view that it names opens", async () => {
  const data = { title: { en: "Dates", zh: "日期" }, text: { en: "Look.", zh: "看。" }, opens: "model", sentences: [{ models: [json] }], runs: [] };
  withData("both.html", "titled.html", data);
  await opened("titled.html", "#language=en", async ({ page }) => {
    await has(page.locator("main"), "data-view", "model");
    await shows(page.locator("h1"), "Dates");
    await page.locator("button[data-name=language]").click();
    await eventually(async () => assert.deepEqual([await page.locator("h1").textContent(), await page.title(), await page.locator("header .hint").textContent()], ["日期", "日期", "看。"]));
  });
});

test("Back returns to what was, and a changed address is followed", () =>
  opened("both.html", "#view=heat&model=1&layer=0&head=0", async ({ page }) => {
    await page.locator("select[data-name=layer]").selectOption({ index: 2 });
    await page.getByRole("tab", { name: "By hand" }).click();
    await page.goBack();
    await has(page.locator("main"), "data-view", "heat");
    await becomes(() => page.locator("select[data-name=layer]").evaluate((e: HTMLSelectElement) => e.selectedIndex), 2);
    await page.goBack();
    await becomes(() => page.locator("select[data-name=layer]").evaluate((e: HTMLSelectElement) => e.selectedIndex), 0);
    await go(page, "view=heat&model=0&cell=1.2&language=zh");
    await shows(readout(page), /行 1，列 2$/);
    await has(page.locator("html"), "lang", "zh-CN");
  }));

test("what one sees can be sent, saved and copied in every view, and tells no path of this machine", () =>
  opened("numbers.html", "#view=heat&model=1&layer=1&head=2&cell=1.3", async ({ page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async (action: string) => {
      await page.locator(`[data-action=${action}]`).click();
      await shows(page.locator(".said"), "Copied");
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const link = await copied("share");
    assert.match(link, /^numbers\.html#view=heat.*layer=1.*head=2.*cell=1\.3/);
    const table = (await copied("tsv")).trimEnd().split("\n").map((line) => line.split("\t"));
    const wanted = (await readout(page).locator(".number").textContent())!;
    assert.equal(table[2]![4], wanted);
    for (const view of VIEWS) {
      await go(page, `view=${view}&model=1&layer=1&head=2`);
      await eventually(async () => assert.equal(await page.locator("[data-action=share], [data-action=tsv], [data-action=print]").count(), view === "training" ? 2 : 3, view));
      if (view === "story" || view === "training") continue;
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-action=svg]").click()]);
      const svg = readFileSync((await download.path())!, "utf8");
      assert.match(svg, /^<svg [^]*<rect width="\d+" height="\d+" fill="#ffffff"\/>[^]*<\/svg>$/);
      await page.evaluate((svg) => {
        const read = new DOMParser().parseFromString(svg, "image/svg+xml");
        if (read.querySelector("parsererror")) throw new Error(read.documentElement.textContent!);
      }, svg);
      assert.ok(!svg.includes(folder));
    }
    await go(page, "view=heat&model=1");
    const [png] = await Promise.all([page.waitForEvent("download"), page.locator("[data-action=png]").click()]);
    assert.deepEqual([...readFileSync((await png.path())!).subarray(1, 4)], [...Buffer.from("PNG")]);
    assert.ok(!readFileSync(join(folder, "both.html"), "utf8").includes(folder));
    assert.ok(!(await page.locator("body").textContent())!.includes(folder));
  }));

test("a node that ended says so, and sums are never minus nothing", () =>
  opened("both.html", "#view=steps&model=1", async ({ page }) => {
    await page.keyboard.press("End");
    await page.locator(".beam .node.ended").first().click();
    await shows(page.locator(".bars"), /The output ended here/);
    assert.doesNotMatch((await page.locator(".beam").textContent())!, /[-−]0\.00/);
  }));

test("who wants no motion gets none", () =>
  opened("both.html", "#view=steps&model=1", async ({ page }) => {
    const scrolls = async () => {
      await page.evaluate(() => {
        (window as any).behaviours = [];
        Element.prototype.scrollTo = function (options: any) {
          (window as any).behaviours.push(options.behavior);
        };
      });
      await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.ok(await page.evaluate(() => (window as any).behaviours.length > 0)));
      return page.evaluate(() => (window as any).behaviours[0]);
    };
    assert.equal(await scrolls(), "smooth");
    await page.emulateMedia({ reducedMotion: "reduce" });
    await becomes(() => page.evaluate(() => matchMedia("(prefers-reduced-motion: reduce)").matches), true);
    assert.equal(await scrolls(), "auto");
  }));

test("an error in one view leaves the others", async () => {
  withData("both.html", "broken.html", { title: "", text: "", sentences: [{ models: [{ ...json, tree: [{ on_result: true }, { on_result: true, parent: 0 }] }] }], runs: [] });
  await opened("broken.html", "#view=steps", async ({ page }) => {
    await shows(page.getByRole("alert"), /This view failed; the others still work/);
    await page.getByRole("tab", { name: "Heat map" }).click();
    await counts(page.locator(".map canvas"), 1);
  });
});

test("keys without Ctrl can be switched off; arrows stay", () =>
  opened("both.html", "#view=heat", async ({ page }) => {
    await page.keyboard.press("?");
    await page.locator("[data-name=keys]").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("4");
    await has(page.locator("main"), "data-view", "heat");
    await page.locator(".map canvas").focus();
    await page.keyboard.press("ArrowRight");
    await shows(readout(page), /row 0/);
    await has(readout(page), "aria-live", "polite"); // the weight is spoken
    await page.getByRole("button", { name: "Keys" }).click();
    await page.locator("[data-name=keys]").check();
  }));

test("the arithmetic of a cell comes to the weight of the model, for products and for additive scores", () =>
  opened("numbers.html", "#view=heat&model=1&kind=cross&layer=1&head=2&cell=0.2", async ({ page }) => {
    const card = page.locator("[data-part=arithmetic]");
    const check = (vectors: number) => eventually(async () => {
      const weight = Number(await card.locator("h2 .number").textContent());
      const lines = await card.locator("tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td:not(.corner)")].map((cell) => Number(cell.textContent!.replace("−", "-")))));
      const own = await card.locator("td.own").first().evaluate((cell: HTMLTableCellElement) => cell.cellIndex - 1);
      assert.ok(Math.abs(lines[3]![own]! - weight) < 0.003, `${lines[3]![own]} is not ${weight}`);
      assert.ok(Math.abs(lines[4]![own]! - weight) < 0.0006);
      assert.equal(await card.locator(".vector").count(), vectors);
    });
    await check(6); // the matrices that the page has are those of the sharpest head
    await page.locator(".map canvas").focus();
    for (const key of ["ArrowRight", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await check(6);
    await go(page, "view=heat&model=0&cell=1.1");
    await check(6 + 3 + 3 * 4); // s, W, U; h before, r, z, n of the decoder and of the encoder in both directions
  }));

test("more than weights: norms, rollout, information, states and what each layer would write", () =>
  opened("numbers.html", "#view=heat&model=1&kind=encoder&layer=1", async ({ page }) => {
    for (const [index, words] of [[1, /length of what the key really gives/], [2, /multiplied through this layer/]] as const) {
      await page.locator("select[data-name=measure]").selectOption({ index });
      await shows(page.locator("main .hint").first(), words);
    }
    await address(page, /measure=rollout/);
    await go(page, "view=model&model=1");
    await shows(page.locator("[data-score=information] b").first(), /^0\.\d\d$/);
    await go(page, "view=states&model=1");
    await counts(page.locator(".scatter circle"), json.encoder_tokens.length);
    await counts(page.locator(".guesses tr"), 1 + 3); // layers of the decoder
    const last = await page.locator(".guesses tr").last().locator("td").allTextContents();
    assert.equal(last.join(""), (await page.locator(".guesses th[scope=col]").allTextContents()).join("")); // greedy or not, the first choice mostly wins
  }));

test("the story tells five steps, in both languages", () =>
  opened("both.html", "#view=story", async ({ page }) => {
    for (const language of ["en", "zh"])
      for (let step = 1; step <= 5; ++step) {
        await go(page, `view=story&step=${step}&language=${language}`);
        await shows(page.locator("main h2"), new RegExp(`^${step}\\. `));
        await eventually(async () => assert.ok((await page.locator(".told").textContent())!.length > 40));
      }
    await go(page, "view=story&step=4&language=en");
    const dogs = () => page.locator("[data-word=dog]").allTextContents();
    await eventually(async () => assert.equal((await dogs())[0], (await dogs())[1])); // the order is lost
    await page.locator("[data-name=with-positions]").check();
    await eventually(async () => assert.notEqual((await dogs())[0], (await dogs())[1]));
  }));
