// A page with an engine of its own, put together as `attune page` does it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import type { EngineFile } from "../src/engine/messages";
import { folder, frames, open, program, type Opened } from "./fixture";
import { packedFiles } from "./packed_files";

export interface LocalPage {
  engine: string;
  binary: Uint8Array;
  files: EngineFile[];
  models: object[];
  training: boolean;
  title?: string;
}

const element = (id: string, bytes: Uint8Array) => `<script type="text/plain" id="${id}">${deflateSync(bytes).toString("base64")}</script>\n`;

export function writeLocalPage(name: string, { engine, binary, files, models, training, title = "" }: LocalPage): void {
  const html = readFileSync(join(dirname(program), "web/page_local.html"), "utf8");
  const parts = element("attune-engine-js", Buffer.from(engine)) + element("attune-engine-wasm", binary) + element("attune-models", packedFiles(files));
  const data = { title, text: "", sentences: [], runs: [], server: { runs: [], keys: false, longest: 10000, local: { models, training } } };
  const place = '<script type="application/json" id="attune-data">';
  writeFileSync(join(folder, name), html.replace("<!-- attune-engine -->\n", () => parts).replace(place, () => place + JSON.stringify(data).replaceAll("<", "\\u003c")));
}

// In English, without an error.
export async function opened(name: string, hash: string, check: (opened: Opened) => Promise<void>): Promise<void> {
  const result = await open(name, `#language=en${hash}`);
  await check(result);
  await frames(result.page);
  assert.deepEqual(result.errors, []);
  await result.page.close();
}

export const alert = (page: Page): Locator => page.locator("[role=alert]:visible");
