// The page that `attune serve` sends, in a browser, with the real server behind it.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { alignedHead, alignedLayer } from "../src/aligned";
import { layersOf, readDocument, rowLabels } from "../src/data";
import { headOf } from "../src/maths";
import { address, becomes, counts, eventually, has, holds, shows } from "./eventually";
import { folder, frames, openAt, start, stop, type Opened } from "./fixture";
import { close, spans, sum } from "./numbers";
import { MODELS, serve, TEXT, trainNumbers, type Served } from "./served";

const OTHER = "six and one";
const FIRST = "en-de", SECOND = "en-de:transformer"; // an RNN and a Transformer
const LIMIT = 300, KEY = "open sesame";
const HOSTILE = 'two <script>window.hacked = 1</script> <img src=x onerror="window.hacked=1">';
let server: Served;

before(async () => {
  trainNumbers();
  server = await serve("--port", "0", ...MODELS, "--runs", "transformer", "--char-limit", String(LIMIT));
  await start(false);
});
after(async () => {
  await server?.stop();
  await stop();
});

interface Visit {
  hash?: string;
  at?: Served;
  expected?: RegExp; // what the browser itself says of answers that are refusals
  prepare?: (page: Page) => Promise<void>;
}

async function visit({ hash = "", at = server, expected, prepare }: Visit, check: (opened: Opened) => Promise<void>): Promise<void> {
  const result = await openAt(`${at.address}/${hash}`, new RegExp(`^(${at.address}/|data:)`), prepare);
  await check(result);
  await frames(result.page);
  assert.deepEqual(result.errors.filter((error) => !expected?.test(error)), []);
  await result.page.close();
}

const textArea = (page: Page) => page.locator("textarea");
const translation = (page: Page) => page.locator(".translation:not([data-busy])");
const alert = (page: Page) => page.getByRole("alert");
const readout = (page: Page) => page.locator(".map-bar .readout, .word-pair .readout").first();
const best = async (q: string, model = FIRST, more: object = {}) => (await server.ask("/v1/translate", { q, model, ...more })).translations[0];

const translates = (page: Page, text: string) => shows(translation(page), text);

async function translated(page: Page, text: string, model = FIRST): Promise<void> {
  await textArea(page).fill(text);
  await page.keyboard.press("Control+Enter");
  await translates(page, (await best(text, model)).text);
}

const sentence = (page: Page) => page.locator(".sentence").first();
const wordAt = (page: Page, side: "read" | "written", index: number) => sentence(page).locator(`.words.${side} .word`).nth(index);
const weightsOf = (page: Page, side: "read" | "written") =>
  sentence(page).locator(`.words.${side} .word`).evaluateAll((all) => all.map((word) => Number((word as HTMLElement).dataset.weight)));

test("the first view translates, while one types and at once by Ctrl+Enter, and the last text wins", () =>
  visit({}, async ({ page }) => {
    await has(page.locator("main"), "data-view", "translate");
    await counts(page.getByRole("tab"), 11);
    await textArea(page).pressSequentially(OTHER, { delay: 5 });
    await translates(page, (await best(OTHER)).text);
    await shows(page.locator(".count").first(), new RegExp(`^${OTHER.length} / ${LIMIT}$`));
    await shows(page.locator(".count").nth(1), /^\d+\.\d\d s$/);
    await textArea(page).fill(OTHER + OTHER);
    await page.keyboard.press("Control+Enter");
    await translated(page, `${TEXT}\n\n${OTHER}`);
    await counts(page.locator(".sentence"), 2);
    await address(page, /text=three/); // a link brings it back
    await textArea(page).fill("");
    await translates(page, "");
    await counts(page.locator(".sentence"), 0);
  }));

test("the model is chosen by a menu, and stands in the address", async () => {
  await visit({}, async ({ page }) => {
    await translated(page, TEXT);
    const menu = page.locator("select[data-name=translator]");
    await counts(menu.locator("option"), 2);
    await shows(menu.locator("option").first(), /^en → de \(rnn, [\d.]+K parameters\)$/);
    await menu.selectOption({ index: 1 });
    await translates(page, (await best(TEXT, SECOND)).text);
    await eventually(() => assert.match(decodeURIComponent(page.url()), /translator=en-de:transformer/));
  });
  await visit({ hash: `#translator=${SECOND}` }, async ({ page }) => translated(page, TEXT, SECOND));
});

test("pointing at a word shades what it looked at by the weights of the JSON, and the other way round", () =>
  visit({}, async ({ page }) => {
    await translated(page, TEXT);
    const { source_tokens, outputs } = (await best(TEXT, FIRST, { alignment: true })).sentences[0];
    const { tokens, alignment, word_scores } = outputs[0];
    const read = spans(source_tokens), written = spans(tokens);
    assert.ok(read.length === 3 && written.length > 0, JSON.stringify(tokens));
    const weights = written.map(([a, b]) => read.map(([c, d]) => sum(alignment.slice(a, b).map((row: number[]) => sum(row.slice(c, d)))) / (b - a)));
    for (let t = 0; t < written.length; ++t) {
      await wordAt(page, "written", t).hover();
      await eventually(async () => close(await weightsOf(page, "read"), weights[t]!));
      const end = sum(alignment.slice(...written[t]!).map((row: number[]) => sum(row.slice(source_tokens.length)))) / (written[t]![1] - written[t]![0]);
      await eventually(async () => close([Number(await readout(page).locator(".number").first().textContent())], [Math.max(end, ...weights[t]!)]));
      const chance = Math.exp(sum(word_scores.slice(...written[t]!)));
      await becomes(() => wordAt(page, "written", t).evaluate((word) => word.classList.contains("unlikely")), chance < 0.3);
      await has(wordAt(page, "written", t), "title", /^p <?[\d.]+%\n/);
    }
    await eventually(async () => {
      const percents = await page.locator(".word[data-percent]").evaluateAll((all) => all.map((word) => {
        const { height, fontSize } = getComputedStyle(word, "::after");
        return parseFloat(height) <= 1.6 * parseFloat(fontSize); // on one line
      }));
      assert.ok(percents.length > 0 && percents.every(Boolean));
    });
    await wordAt(page, "read", 2).hover();
    await eventually(async () => close(await weightsOf(page, "written"), weights.map((row) => row[2]!)));
    const shade = await wordAt(page, "written", 0).evaluate((word) => getComputedStyle(word).backgroundColor);
    await page.locator("h1").hover();
    await counts(page.locator("[data-weight]"), 0);
    await eventually(async () => assert.notEqual(shade, await wordAt(page, "written", 0).evaluate((word) => getComputedStyle(word).backgroundColor)));
  }));

test("words are reached by keys", () =>
  visit({}, async ({ page }) => {
    await translated(page, TEXT);
    const focused = () => page.evaluate(() => [document.activeElement?.parentElement?.dataset.side, Number((document.activeElement as HTMLElement).dataset.index)]);
    await wordAt(page, "read", 0).focus();
    await page.keyboard.press("ArrowRight");
    await becomes(focused, ["read", 1]);
    await eventually(async () => assert.ok((await weightsOf(page, "written")).every((weight) => weight >= 0)));
    const links = await weightsOf(page, "written");
    await page.keyboard.press("ArrowDown");
    await becomes(async () => (await focused()).map((part, i) => (i === 0 ? part : links[Number(part)])), ["written", Math.max(...links)]);
    await page.keyboard.press("Home");
    await becomes(focused, ["written", 0]);
    await eventually(async () => assert.ok((await weightsOf(page, "read")).every((weight) => weight >= 0)));
    await page.keyboard.press("1"); // a word is no field: keys of the page work
    await page.keyboard.press("2");
    await has(page.locator("main"), "data-view", "heat");
  }));

test("alternatives are as many as one wants, and take the place of the best", () =>
  visit({}, async ({ page }) => {
    await page.locator("select[data-name=alternatives]").selectOption("3");
    await translated(page, TEXT);
    const { outputs } = (await best(TEXT, FIRST, { n_best: 4 })).sentences[0];
    const texts = [...new Set(outputs.map((output: { text: string }) => output.text))] as string[];
    const rows = page.locator(".outputs button");
    await becomes(() => rows.locator("bdi").allTextContents(), texts);
    await rows.nth(1).click();
    await translates(page, texts[1]!);
    await has(rows.nth(1), "aria-pressed", "true");
    await address(page, /alternatives=3/);
    await page.locator("select[data-name=alternatives]").selectOption("none");
    await translates(page, texts[0]!);
    await counts(rows, 0);
  }));

test("what is copied is the translation", () =>
  visit({}, async ({ page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await translated(page, TEXT);
    await page.locator("[data-action=copy]").click();
    await shows(page.locator("[data-action=copy]"), "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), (await best(TEXT)).text);
  }));

// Cell by cell in the heat map.
async function isAttention(page: Page, request: object, model: number): Promise<void> {
  const seen = (await readDocument(await server.ask("/v1/attend", request))).sentences[0]!.models[model]!;
  const layer = layersOf(seen, "cross")[alignedLayer(seen, "cross")]!;
  const { weights, keys } = headOf(layer, alignedHead(seen, layer));
  await page.locator(".map canvas").nth(model).focus();
  for (let q = 0; q < rowLabels(seen, "cross").length; ++q) {
    for (let k = 0; k < keys; ++k) {
      await page.keyboard.press(k === 0 ? "Home" : "ArrowRight");
      const number = page.locator(".map .readout").nth(model).locator(".number");
      await eventually(async () => close([Number(await number.textContent())], [weights[q * keys + k]!]));
    }
    await page.keyboard.press("ArrowDown");
  }
}

test("the attention of a sentence opens, of the output that was chosen or of one's own", () =>
  visit({ hash: `#translator=${SECOND}` }, async ({ page }) => {
    await translated(page, TEXT, SECOND);
    await page.locator("[data-action=attend]").click();
    await page.waitForSelector(".map canvas");
    await has(page.locator("main"), "data-view", "heat");
    await isAttention(page, { q: TEXT, model: SECOND }, 0);
    for (const key of ["3", "4", "5", "2", "1"]) {
      await page.keyboard.press(key);
      await frames(page);
    }
    await translates(page, (await best(TEXT, SECOND)).text); // as it was
    await page.locator(".looks summary").click();
    await page.locator(".looks input").fill("two und six");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".map canvas");
    await shows(page.locator(".pair .target"), "two und six");
    await shows(page.locator(".pair"), /given target/);
    await isAttention(page, { q: TEXT, model: SECOND, output: "two und six" }, 0);
  }));

test("models of the same languages stand side by side", () =>
  visit({}, async ({ page }) => {
    await translated(page, TEXT);
    await page.locator("[data-action=compare]").click();
    await page.waitForSelector("figure .map canvas");
    await has(page.locator("main"), "data-view", "compare");
    await becomes(() => page.locator("figcaption b").allTextContents(), [FIRST, SECOND]);
    for (const model of [0, 1]) await isAttention(page, { q: TEXT, model: [FIRST, SECOND] }, model);
  }));

test("views without a sentence ask for one", () =>
  visit({}, async ({ page }) => {
    for (const [key, view, shown] of [["2", "heat", ".map canvas"], ["6", "compare", "figure .map canvas"]] as const) {
      await page.locator("h1").click(); // away from the field
      await page.keyboard.press(key);
      await has(page.locator("main"), "data-view", view);
      await page.locator("input[data-name=look]").fill(OTHER);
      await page.keyboard.press("Enter");
      await page.waitForSelector(shown);
    }
    await counts(page.locator("figure .map canvas"), 2);
    await page.locator("h1").click();
    await page.keyboard.press("5");
    await shows(page.locator(".counter"), /^Step 1 /);
  }));

test("a run is followed while its view is seen, and what one looks at stays", () =>
  visit({ hash: "#view=training", prepare: (page) => page.clock.install() }, async ({ page }) => {
    let asked = 0;
    page.on("request", (request) => void (asked += Number(request.url().includes("/v1/run"))));
    const loss = page.locator("[data-chart=perplexity] .keys-of-lines span").first();
    await page.waitForSelector("[data-chart=perplexity] .chart");
    await shows(page.locator(".counter"), "update 20");
    await page.keyboard.press("ArrowLeft");
    await shows(page.locator(".counter"), "update 10");

    const [same] = await Promise.all([page.waitForResponse(/v1\/run/), page.clock.fastForward(5100)]);
    assert.equal(same.status(), 304); // what is known is not sent again
    appendFileSync(join(folder, "transformer/metrics.jsonl"), '{"kind":"training","update":30,"perplexity":1.25}\n');
    await page.clock.fastForward(5100);
    await shows(page.locator("[data-chart=perplexity] .keys-of-lines"), /update 30/);
    await shows(loss, /training 1\.25/);
    await shows(page.locator(".counter"), "update 10");
    await holds(page.locator("input[type=range]"), "0");

    const seen = (hidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    const later = async () => {
      const before = asked;
      for (let i = 0; i < 3; ++i) await page.clock.fastForward(5100);
      return asked - before;
    };
    await seen(true);
    assert.equal(await later(), 0);
    await Promise.all([page.waitForRequest(/v1\/run/), seen(false)]);
    await page.keyboard.press("1");
    await has(page.locator("main"), "data-view", "translate");
    assert.equal(await later(), 0);
  }));

test("with keys a wrong one is refused in plain words, and the right one is kept for the visit", async () => {
  writeFileSync(join(folder, "keys"), `${createHash("sha256").update(KEY).digest("hex")} alice\n`);
  const locked = await serve("--port", "0", ...MODELS, "--api-keys", "keys");
  try {
    await visit({ at: locked, expected: /status of 403/ }, async ({ page }) => {
      await textArea(page).fill(TEXT);
      await page.keyboard.press("Control+Enter");
      await alert(page).waitFor();
      await shows(alert(page), /needs an API key/);
      const field = page.locator("input[data-name=key]");
      await field.fill("wrong");
      await field.press("Enter");
      await page.getByText("does not know this API key").waitFor();
      await field.fill(KEY);
      await field.press("Enter");
      await translates(page, (await best(TEXT)).text);
      await becomes(() => alert(page).isVisible(), false);
      await page.reload();
      await translated(page, OTHER);
    });
  } finally {
    await locked.stop();
  }
});

test("a text over the limit is not sent, and what the server refuses is told", () =>
  visit({ expected: /status of 400/ }, async ({ page }) => {
    let asked = 0;
    page.on("request", (request) => void (asked += Number(request.url().includes("/v1/translate"))));
    await textArea(page).fill("one ".repeat(LIMIT / 4 + 1));
    await page.keyboard.press("Control+Enter");
    await shows(page.locator(".count").first(), /304 \/ 300 · too long/);
    await frames(page);
    assert.equal(asked, 0);
    await has(textArea(page), "aria-invalid", "true");
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Heat map" }).click();
    await page.locator("input[data-name=look]").fill("one ".repeat(LIMIT));
    await page.keyboard.press("Enter");
    await alert(page).waitFor();
    await shows(alert(page), /The server refused this: .*\d/);
  }));

test("a server that has too much to do is told in plain words, and asked again", () =>
  visit({ expected: /status of (429|503|500)/ }, async ({ page }) => {
    let answer = { status: 429, headers: { "Retry-After": "7" }, body: '{"error":"Slowdown"}' };
    await page.route("**/v1/translate", (route) => route.fulfill(answer));
    await textArea(page).fill(TEXT);
    await page.getByText("Try again in 7 seconds").waitFor();
    answer = { ...answer, status: 503 };
    await page.keyboard.press("Control+Enter");
    await page.getByText("busy at the moment").waitFor();
    answer = { ...answer, status: 500, body: "no JSON" };
    await page.keyboard.press("Control+Enter");
    await page.getByText("could not do this").waitFor();
    await page.unroute("**/v1/translate");
    await translated(page, TEXT);
    await becomes(() => alert(page).isVisible(), false);
  }));

test("a model without attention translates, and one that does not translate is not offered", () =>
  visit({
    prepare: (page) =>
      page.route("**/v1/models", async (route) => {
        const { data } = await server.ask("/v1/models");
        await route.fulfill({ json: { data: [{ ...data[0], id: "gpt", task: "generate", source: undefined, target: undefined }, { ...data[0], attends: false }] } });
      }),
  }, async ({ page }) => {
    await translated(page, TEXT);
    await counts(page.locator("select[data-name=translator] option"), 1);
    await counts(page.locator("[data-action=attend], [data-action=compare]"), 0);
    await shows(sentence(page).locator(".words.read"), TEXT);
    await wordAt(page, "written", 0).hover();
    await shows(readout(page), /p <?[\d.]+%$/);
    await page.locator("h1").click();
    await page.getByRole("tab", { name: "Compare" }).click();
    await shows(page.locator("main"), /Only one model is served/);
  }));

test("markup is text, in every view", () =>
  visit({}, async ({ page }) => {
    await translated(page, HOSTILE);
    await becomes(() => page.locator(".words.read").first().evaluate((line) => line.textContent!.replaceAll(/\s/g, "").length > 0), true);
    await page.locator("[data-action=attend]").first().click();
    await page.waitForSelector(".map canvas");
    for (const key of ["3", "4", "5", "6", "1"]) {
      await page.keyboard.press(key);
      await frames(page);
    }
    assert.equal(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
    await counts(page.locator("main script, main img"), 0);
  }));

test("when the server is gone the page says so, and works again when it is back", async () => {
  const first = await serve("--port", "0", ...MODELS);
  let second: Served | undefined;
  try {
    await visit({ at: first, expected: /net::ERR_/ }, async ({ page }) => {
      await translated(page, TEXT);
      await first.stop();
      await textArea(page).fill(OTHER);
      await alert(page).waitFor();
      await shows(alert(page), /The server does not answer/);
      second = await serve("--port", String(first.port), ...MODELS);
      await page.getByRole("button", { name: "Translate", exact: true }).click();
      await translates(page, (await best(OTHER)).text);
      await becomes(() => alert(page).isVisible(), false);
    });
  } finally {
    await second?.stop();
  }
});

test("the interface speaks Chinese, and a text that is being written stays", () =>
  visit({}, async ({ page }) => {
    await translated(page, TEXT);
    await page.locator("button[data-name=language]").click();
    await shows(page.getByRole("tab").first(), "翻译");
    await holds(textArea(page), TEXT);
    await shows(page.locator("select[data-name=translator] option").first(), /参数/);
    await page.keyboard.press("?");
    await shows(page.locator("dialog li").first(), /^1 … 9：/);
    await counts(page.locator("dialog li"), 9);
    await page.keyboard.press("Escape");
    await page.locator("button[data-name=language]").click();
    await translates(page, (await best(TEXT)).text);
  }));
