// The report of `attune compare`: on a phone, in Chinese, for screen readers.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { becomes, shows } from "./eventually";
import { attune, blank, folder, seriousFindings, start, stop } from "./fixture";

const RECIPE = `title: Sums
folder: compared
budget: 6u
shared: {train_sets: [a, b], valid_sets: [a, b], vocab_kind: char, mini_batch_words: 200}
tests: [{name: test, source: a, references: [b]}]
models:
  - {name: Without attention, type: rnn, attention: none, embedding: 8, hidden: 8}
  - {name: Transformer, type: transformer, d_model: 8, heads: 2, feed_forward: 8, encoder_layers: 1, decoder_layers: 1}
`;

before(async () => {
  const pairs = Array.from({ length: 40 }, (_, i) => [`${i} + ${i % 7}`, String(i + (i % 7))]);
  for (const [side, name] of ["a", "b"].entries()) writeFileSync(join(folder, name), pairs.map((pair) => `${pair[side]}\n`).join(""));
  writeFileSync(join(folder, "recipe.yml"), RECIPE);
  attune("compare", "recipe.yml");
  await start();
});
after(stop);

test("a report fits a phone in both languages, and axe finds nothing serious", async () => {
  const page = await blank();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(pathToFileURL(join(folder, "compared/report.html")).href);
  for (const [chinese, title] of [[false, "Quality"], [true, "质量"]] as const) {
    await page.locator("#zh").setChecked(chinese);
    await shows(page.locator("h2 span:visible").first(), title);
    await shows(page.locator("th span:visible").first(), chinese ? "模型" : "model");
    await shows(page.locator("#cost svg text.title:visible").first(), chinese ? "训练速度" : "Training speed");
    await shows(page.locator("#measured li :visible").first(), chinese ? /^每个模型的预算是 6u。/ : /^Every model had a budget of 6u\./);
    await shows(page.locator("#training td span:visible").first(), chinese ? "预算用完" : "budget");
    await becomes(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    assert.deepEqual(await seriousFindings(page), []);
  }
  await page.close();
});
