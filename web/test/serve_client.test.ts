// A client of LibreTranslate from npm, as its users have it.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { Translate } from "translate";
import { folder } from "./fixture";
import { MODELS, serve, TEXT, trainNumbers, type Served } from "./served";

let server: Served;

before(async () => {
  trainNumbers();
  server = await serve("--port", "0", ...MODELS);
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("it works unchanged", async () => {
  const client = Translate({ engine: "libre", url: `${server.address}/translate` } as object);
  const { translations } = await server.ask("/v1/translate", { q: TEXT, model: "en-de" });
  assert.equal(await client(TEXT, { from: "en", to: "de" }), translations[0].text);
  await assert.rejects(async () => client(TEXT, { from: "en", to: "fr" }), /fr is not supported/);
});
