// What if: heads off, attention elsewhere, another candidate, another word; and what else a server computes when it is asked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { address, becomes, counts, eventually, has, shows } from "./eventually";
import { frames, openAt, seriousFindings, start, stop, type Opened } from "./fixture";
import { MODELS, serve, TEXT, trainNumbers, type Served } from "./served";

let server: Served, model: string;

before(async () => {
  trainNumbers();
  server = await serve("--port", "0", ...MODELS);
  model = (await server.ask("/v1/models")).data.find(({ type }: { type: string }) => type === "transformer").id;
  await start(false);
});
after(async () => {
  await server?.stop();
  await stop();
});

async function visit(hash: string, check: (opened: Opened) => Promise<void>): Promise<void> {
  const of = encodeURIComponent(hash.includes("rnn") ? (await server.ask("/v1/models")).data.find(({ type }: { type: string }) => type === "rnn").id : model);
  const result = await openAt(`${server.address}/#look=${encodeURIComponent(TEXT)}&of=${of}&language=en&${hash}`, new RegExp(`^(${server.address}/|data:)`));
  await check(result);
  await frames(result.page);
  assert.deepEqual(result.errors, []);
  await result.page.close();
}

const asked = async (more: object) => (await server.ask("/v1/attend", { q: TEXT, model, ...more })).sentences[0].models[0];
const target = (page: Page, wanted: string) => shows(page.locator(".pair .target"), wanted);
const changes = (page: Page) => page.locator(".changes li");

test("all heads of a layer are switched off and on again, the output follows, and Back works", () =>
  visit("view=heat&kind=cross&layer=0&head=mean", async ({ page }) => {
    const before = (await asked({})).target, after = await asked({ heads_off: [{ kind: "cross", layer: 0 }] });
    await target(page, before);
    await page.locator("[data-action=switch]").click();
    await changes(page).waitFor();
    await target(page, after.target);
    await shows(page.locator("[data-part=unchanged]"), before);
    await address(page, /off=cross\.0\.\*/);
    await page.reload();
    await target(page, after.target);
    await shows(page.locator("[data-part=unchanged]"), before);
    await page.locator("[data-action=take-back]").click();
    await counts(changes(page), 0);
    await target(page, before);
    await page.goBack();
    await changes(page).waitFor();
    await target(page, after.target);
  }));

test("a single head is switched off among all of them", () =>
  visit("view=model", async ({ page }) => {
    const thumb = page.locator(".thumb[data-kind=cross][data-layer='1'][data-head='0']");
    await thumb.locator("xpath=..").locator("[data-action=switch]").click();
    await page.waitForSelector(".thumb.off[data-kind=cross][data-layer='1'][data-head='0']");
    await shows(changes(page).first(), /layer 1, Head 0: off/i);
    const seen = await asked({ heads_off: [{ kind: "cross", layer: 1, head: 0 }] });
    await target(page, seen.target);
  }));

test("a token looks where it is told", () =>
  visit("view=heat&kind=cross&layer=0&head=0&cell=0.1", async ({ page }) => {
    await page.locator("[data-action=move]").click();
    await changes(page).waitFor();
    const seen = await asked({ look_at: [{ kind: "cross", layer: 0, head: 0, query: 0, key: 1 }] });
    await target(page, seen.target);
    await shows(page.locator(".readout").first(), /1\.0000/);
    await address(page, /moved=cross\.0\.0\.0\.1/);
  }));

test("another candidate of the search is taken, and the model writes on from it", () =>
  visit("view=steps", async ({ page }) => {
    const first = (await asked({})).tree[0].candidates[1].token;
    await page.locator("button.bar").first().waitFor();
    await page.locator("button.bar", { hasText: first }).first().click();
    await changes(page).waitFor();
    const seen = await asked({ begin: [first] });
    assert.equal(seen.decoder_outputs[0], first);
    await target(page, seen.target);
    await shows(page.locator("[data-part=writes] .chip").first(), first);
  }));

test("the arithmetic has x and the matrices of the chosen head, and for an RNN the gates", async () => {
  await visit("view=heat&kind=decoder&layer=0&head=1&cell=1.0", async ({ page }) => {
    await page.locator("[data-action=arithmetic]").click();
    await page.waitForSelector("[data-part=arithmetic]");
    await becomes(() => page.locator("[data-matrix]").evaluateAll((all) => all.map((each) => each.getAttribute("data-matrix"))), ["W^q", "W^k", "W^v", "W^O"]);
    await counts(page.locator("[data-part=row] b"), 1);
    await page.locator("select[data-name=head]").selectOption("0"); // another head has other matrices
    await page.locator("[data-action=arithmetic]").click();
    await page.waitForSelector("[data-part=row]");
  });
  await visit("view=heat&cell=0.0&rnn", async ({ page }) => {
    await page.locator("[data-action=arithmetic]").click();
    await page.waitForSelector("[data-part=gates]");
    await becomes(() => page.locator("[data-matrix]").evaluateAll((all) => all.map((each) => each.getAttribute("data-matrix"))), ["W", "U"]);
    const step = (layer: string) => [`h before (${layer})`, "r", "z", "n"];
    await becomes(() => page.locator("[data-part=gates] figcaption b").allTextContents(), [...step("Layer 0"), ...step("Layer 0 →"), ...step("Layer 0 ←")]);
  });
});

test("gradient x input comes from the server, with a sentence on what it cannot show", () =>
  visit("view=heat&kind=cross&layer=0&head=0", async ({ page }) => {
    await page.locator("select[data-name=measure]").selectOption({ label: "gradient × input" });
    await shows(page.locator("main"), /does not tell what happens without the token/);
    await address(page, /measure=gradients/);
  }));

test("axe finds nothing serious in the views of a server", async () => {
  await visit("view=heat", async ({ page }) => {
    for (const view of ["translate&text=three+and+four", "heat&kind=cross&layer=0&head=0&cell=0.1&off=cross.0.1", "model", "steps", "states", "compare"]) {
      await page.evaluate((hash) => (location.hash = hash), `${new URL(page.url()).hash.slice(1).replace(/view=\w+/, "")}&view=${view}`);
      await has(page.locator("main"), "data-view", view.split("&")[0]!);
      await counts(page.locator("[data-busy]"), 0);
      assert.deepEqual(await seriousFindings(page), [], view);
    }
  });
});

test("an address that names a head that is not there leaves a page that can look again", () =>
  visit("view=heat&kind=cross&layer=0&head=0&off=cross.9.0", async ({ page, errors }) => {
    await page.waitForSelector("input[data-name=look]");
    await eventually(() => assert.match(errors.join(), /400/)); // the browser tells of it
    errors.length = 0;
    await page.locator("form.ask button").click();
    await page.waitForSelector(".map canvas");
  }));
