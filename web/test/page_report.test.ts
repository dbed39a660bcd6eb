// The report of `attune compare`: on a phone, in Chinese, for screen readers.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { attune, blank, folder, start, stop } from "./fixture";

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
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  for (const [chinese, title] of [[false, "Quality"], [true, "质量"]] as const) {
    await page.locator("#zh").setChecked(chinese);
    assert.equal(await page.locator("h2 span:visible").first().textContent(), title);
    assert.equal(await page.locator("th span:visible").first().textContent(), chinese ? "模型" : "model");
    assert.equal(await page.locator("#cost svg text.title:visible").first().textContent(), chinese ? "训练速度" : "Training speed");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    const found = await page.evaluate(async () => {
      const { violations } = await (window as any).axe.run(document, { resultTypes: ["violations"] });
      return violations.filter((each: any) => each.impact === "serious" || each.impact === "critical").map((each: any) => `${each.id}: ${each.nodes[0].html.slice(0, 160)}`);
    });
    assert.deepEqual(found, []);
  }
  await page.close();
});
