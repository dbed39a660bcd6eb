// The page of a server whose models write on, fill in, or translate between languages that nobody named.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { address, becomes, counts, eventually, has, holds, shows } from "./eventually";
import { attune, folder, frames, openAt, seriousFindings, start, stop, train, type Opened } from "./fixture";
import { sum } from "./numbers";
import { serve, type Served } from "./served";

const LINES = ["one two three four", "two three four five", "three four five six", "一 二 三 四"];
let server: Served;

before(async () => {
  train(Array.from({ length: 200 }, (_, i) => [`${"abc"[i % 3]} ${"xy"[i % 2]}`, `${"xy"[i % 2]} ${"abc"[i % 3]}`]));
  writeFileSync(join(folder, "lines"), Array.from({ length: 200 }, (_, i) => `${LINES[i % LINES.length]}\n`).join(""));
  const shared = ["--train-sets", "lines", "--vocab-kind", "word", "--dropout", "0", "--d-model", "16", "--heads", "2", "--layers", "1", "--feed-forward", "16", "--after", "30u", "--learning-rate", "0.01"];
  attune("train", "--type", "gpt", ...shared, "--model", "gpt");
  attune("train", "--type", "bert", ...shared, "--model", "bert");
  server = await serve("--port", "0", "-m", "gpt", "-m", "bert", "-m", "rnn", "-m", "transformer");
  await start(false);
});
after(async () => {
  await server?.stop();
  await stop();
});

async function visit(hash: string, check: (opened: Opened) => Promise<void>): Promise<void> {
  const result = await openAt(`${server.address}/${hash}`, new RegExp(`^(${server.address}/|data:)`));
  await check(result);
  await frames(result.page);
  assert.deepEqual(result.errors, []);
  await result.page.close();
}

const text = (page: Page) => page.locator("textarea");
const bars = (page: Page) => page.locator("button.bar");
const chances = (page: Page) => bars(page).evaluateAll((all) => all.map((bar) => Number((bar as HTMLElement).dataset.p)));
const chancesOf = (candidates: { p: number }[]) => candidates.map(({ p }) => p);

test("models whose languages nobody named are served by the names of their folders, and translate", () =>
  visit("#view=translate&language=en", async ({ page }) => {
    const { data } = await server.ask("/v1/models");
    assert.deepEqual(data.map(({ id, task }: { id: string; task: string }) => [id, task]), [["gpt", "generate"], ["bert", "fill"], ["rnn", "translate"], ["transformer", "translate"]]);
    await becomes(() => page.locator("select[data-name=translator] option").evaluateAll((all) => all.map((each) => each.textContent!.split(" ")[0])), ["rnn", "transformer"]);
    await text(page).fill("a x");
    const { translations } = await server.ask("/v1/translate", { q: "a x", model: "rnn" });
    await shows(page.locator(".translation:not([data-busy])"), translations[0].text);
  }));

test("a language model has a page: candidates, one token, text that goes on, attention", () =>
  visit("#view=write&text=one+two&language=en", async ({ page }) => {
    const { candidates } = await server.ask("/v1/next", { model: "gpt", q: "one two", top: 12 });
    await becomes(() => chances(page), chancesOf(candidates));
    assert.ok(Math.abs(sum(chancesOf(candidates)) - 1) < 0.6);
    await bars(page).nth(1).click();
    await holds(text(page), candidates[1].text);
    await eventually(() => assert.match(decodeURIComponent(page.url()).replaceAll("+", " "), /text=one two \S+/));
    await page.locator("[data-name=temperature]").fill("0");
    await address(page, /temperature=0(&|$)/);
    await page.locator("select[data-name=top-k]").selectOption("5");
    await address(page, /top_k=5/);
    const before = await text(page).inputValue();
    await page.locator("[data-action=write]").click();
    await eventually(async () => assert.ok((await text(page).inputValue()).length > before.length && (await page.locator("[data-action=stop]").isHidden())));
    assert.ok((await text(page).inputValue()).startsWith(before));
    await text(page).fill("one two");
    await page.locator("[data-action=attend]").click();
    await page.waitForSelector(".map canvas");
    await holds(page.locator("input[data-name=source]"), "one two");
  }));

test("a server that has nothing but a language model opens on Write, and does not ask for one that translates", async () => {
  const alone = await serve("--port", "0", "-m", "gpt");
  try {
    const { page, errors } = await openAt(`${alone.address}/#language=en`, new RegExp(`^(${alone.address}/|data:)`));
    await has(page.locator("main"), "data-view", "write");
    await text(page).fill("one two");
    await bars(page).first().waitFor();
    assert.doesNotMatch(await page.locator("#app").innerText(), /translat/i);
    await page.goto(`${alone.address}/#view=steps&look=one+two&of=gpt&step=1&language=en`);
    await shows(page.locator(".bars"), /was given, as part of the prompt/);
    await page.locator("main").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("End"); // what the model wrote has candidates
    await eventually(async () => assert.ok((await page.locator(".bars .bar").count()) > 1));
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    await alone.stop();
  }
});

test("greedy continuation and attention read the prompt in the same way", async () => {
  const { choices } = await server.ask("/v1/completions", { model: "gpt", prompt: "one two", temperature: 0, max_tokens: 1 });
  const { candidates } = await server.ask("/v1/next", { model: "gpt", q: "one two" });
  assert.equal(candidates[0].text, `one two${choices[0].text}`);
  const seen = await server.ask("/v1/attend", { model: "gpt", q: "one two" });
  assert.deepEqual(seen.sentences[0].models[0].decoder_tokens.slice(0, 3), ["<s>", "one", "two"]);
});

test("a model that fills masks has a page: a word is hidden by a click, and filled by another", () =>
  visit("#view=fill&text=one+two+three+four&language=en", async ({ page }) => {
    await page.locator(".maskable .word").nth(1).click();
    await holds(text(page), "one [MASK] three four");
    const { masks } = await server.ask("/v1/fill", { model: "bert", q: "one [MASK] three four", top: 8 });
    await becomes(() => chances(page), chancesOf(masks[0]));
    await page.locator("[data-action=attend]").click();
    await page.waitForSelector(".map canvas");
    await page.goBack();
    await becomes(() => chances(page), chancesOf(masks[0]));
    await bars(page).first().click();
    await holds(text(page), masks[0][0].text);
  }));

test("a link from the server brings back text, sentence and cell; the arithmetic comes when it is asked for", () =>
  visit("#view=heat&look=a+x&of=transformer&cell=0.1&layer=0&head=1&language=en", async ({ page }) => {
    await page.waitForSelector(".map canvas");
    await holds(page.locator("input[data-name=source]"), "a x");
    await shows(page.locator(".readout").first(), /row 0, column 1$/);
    await page.locator("[data-action=arithmetic]").click();
    await page.waitForSelector("[data-part=arithmetic]");
    await page.locator("input[data-name=source]").fill("c y"); // another word: output and attention follow
    await page.keyboard.press("Enter");
    const { sentences } = await server.ask("/v1/attend", { q: "c y", model: "transformer" });
    await address(page, /look=c\+y/); // only then is what follows that of the new text
    await holds(page.locator("input[data-name=source]"), "c y");
    await shows(page.locator(".pair .target"), sentences[0].models[0].target);
  }));

test("a link to a text has it translated", () =>
  visit("#view=translate&text=b+y&translator=transformer&language=en", async ({ page }) => {
    await holds(text(page), "b y");
    const { translations } = await server.ask("/v1/translate", { q: "b y", model: "transformer" });
    await shows(page.locator(".translation:not([data-busy])"), translations[0].text);
    await counts(page.locator(".sentence"), 1);
  }));

test("axe finds nothing serious in Write and Fill in, light and dark", async () => {
  for (const hash of ["#view=write&text=one+two&language=en", "#view=fill&text=one+[MASK]+three+four&language=zh"])
    await visit(hash, async ({ page }) => {
      await bars(page).first().waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousFindings(page), [], `${hash}, ${colorScheme}`);
      }
    });
});

test("what a model cannot do is refused in plain words", async () => {
  for (const [path, body, words] of [
    ["/v1/translate", { q: "a", model: "bert" }, /fills masks/],
    ["/v1/completions", { prompt: "a", model: "bert" }, /fills masks/],
    ["/v1/next", { q: "a", model: "rnn" }, /does not continue texts/],
    ["/v1/fill", { q: "a", model: "bert" }, /mask/i],
    ["/v1/next", { q: "one ".repeat(3000), model: "gpt" }, /./],
  ] as const) {
    const { error } = await server.ask(path, body);
    assert.match(error.message ?? error, words);
  }
});
