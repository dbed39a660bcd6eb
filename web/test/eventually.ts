// A page shows things a moment after they were asked for: a check is made again until it holds, or nobody waits any longer.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";

export const PATIENCE = 60_000; // milliseconds; the machine may have other work

export async function eventually(check: () => unknown): Promise<void> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    try {
      return void (await check());
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await pause(20);
  }
}

const same = (found: string | null, wanted: string | RegExp) => (wanted instanceof RegExp ? assert.match(found ?? "", wanted) : assert.equal(found, wanted));

export const shows = (part: Locator, wanted: string | RegExp) => eventually(async () => same(await part.textContent(), wanted));
export const holds = (field: Locator, wanted: string | RegExp) => eventually(async () => same(await field.inputValue(), wanted));
export const counts = (parts: Locator, wanted: number) => eventually(async () => assert.equal(await parts.count(), wanted));
export const has = (part: Locator, attribute: string, wanted: string | RegExp) => eventually(async () => same(await part.getAttribute(attribute), wanted));
export const becomes = <T>(read: () => Promise<T>, wanted: T) => eventually(async () => assert.deepEqual(await read(), wanted));
export const address = (page: Page, wanted: RegExp) => eventually(() => assert.match(page.url(), wanted));

// Of the first heat map that is drawn.
export async function geometryOf(page: Page): Promise<{ left: number; top: number; cell: number; x: number; y: number }> {
  return JSON.parse((await page.locator(".map canvas[data-geometry]").first().getAttribute("data-geometry"))!);
}
