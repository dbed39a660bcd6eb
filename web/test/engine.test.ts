// The engine's client, without a worker: one thing at a time, giving up, failing, and Responses as from a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { engineFetch } from "../src/engine/answers";
import { filesOf, unpack } from "../src/engine/embedded";
import { Engine, EngineFailure, type Launch } from "../src/engine/engine";
import type { Told } from "../src/engine/messages";
import { packedFiles } from "./packed_files";

const module = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
const never = () => new Promise<never>(() => undefined);

// Workers that the test plays, one after another.
class Workers {
  posted: any[][] = []; // for each worker what it heard
  ended = 0;
  constructor(private readonly answer: (message: any, tell: (told: Told) => void) => Promise<unknown>) {}
  launch: Launch = (hear) => {
    const heard: any[] = [];
    this.posted.push(heard);
    let alive = true;
    const tell = (told: Told) => alive && hear(told);
    return {
      post: (message: any) => {
        heard.push(message);
        this.answer(message, tell).then(
          (result) => tell({ id: message.id, result }),
          (error) => tell({ id: message.id, error: error.message, dead: error.message === "dead" }),
        );
      },
      end: () => {
        alive = false;
        this.ended += 1;
      },
    };
  };
}

const engineWith = (workers: Workers) => new Engine({ launch: workers.launch, module, files: [{ path: "/models/0/a", bytes: Uint8Array.of(1) }], open: { models: [] } });
const asks = (heard: any[]) => heard.map(({ ask, name }) => name ?? ask);

test("one question at a time, in their order, after the beginning", async () => {
  let open = 0;
  const workers = new Workers(async ({ ask, json }) => {
    assert.equal(++open, 1);
    await pause(1);
    open -= 1;
    return ask === "call" ? JSON.parse(json).n : null;
  });
  const engine = engineWith(workers);
  assert.deepEqual(await Promise.all([1, 2, 3].map((n) => engine.call("answer", { n }))), [1, 2, 3]);
  assert.deepEqual(workers.posted.map(asks), [["begin", "answer", "answer", "answer"]]);
});

test("what is given up while it waits is never asked; the one before it goes on", async () => {
  const workers = new Workers(async ({ ask, json }) => (ask === "call" ? (await pause(20), JSON.parse(json).n) : null));
  const engine = engineWith(workers), stop = new AbortController();
  const first = engine.call("answer", { n: 1 }), second = engine.call("answer", { n: 2 }, stop.signal);
  stop.abort();
  await assert.rejects(second, { name: "AbortError" });
  assert.equal(await first, 1);
  assert.equal(await engine.call("answer", { n: 3 }), 3);
  assert.deepEqual(workers.posted.map(asks), [["begin", "answer", "answer"]]);
  assert.equal(workers.ended, 0);
});

test("what is given up while it runs ends the worker, and the next one has the same files", async () => {
  const workers = new Workers(({ ask, json }) => (ask === "call" && JSON.parse(json).forever ? never() : Promise.resolve("done")));
  const engine = engineWith(workers), stop = new AbortController();
  await engine.begin();
  const parts: string[] = [];
  const lost = engine.call("answer", { forever: true }, stop.signal, (part) => parts.push(part));
  const next = engine.call("answer", {});
  stop.abort();
  await assert.rejects(lost, { name: "AbortError" }); // at once, not when the worker has ended
  assert.equal(await next, "done");
  assert.deepEqual(workers.posted.map(asks), [["begin", "write", "answer"], ["begin", "answer"]]);
  assert.deepEqual(workers.posted[0]![0].files, workers.posted[1]![0].files);
  assert.equal(workers.ended, 1);
});

test("what is given up and ends by itself soon costs no worker", async () => {
  const workers = new Workers(async ({ ask }) => ask === "call" && pause(20));
  const engine = engineWith(workers), stop = new AbortController();
  await engine.begin();
  const lost = engine.call("answer", {}, stop.signal);
  stop.abort();
  await assert.rejects(lost, { name: "AbortError" });
  await engine.call("answer", {});
  await pause(300);
  assert.equal(workers.posted.length, 1);
});

test("an engine that cannot begin says so to everybody, and is not tried again", async () => {
  const workers = new Workers(() => Promise.reject(new Error("model.bin is damaged")));
  const engine = engineWith(workers);
  for (const asked of [engine.begin(), engine.call("answer", {}), engine.read("/x")]) await assert.rejects(asked, new EngineFailure("model.bin is damaged"));
  await assert.rejects(engine.call("answer", {}), EngineFailure);
  assert.equal(workers.posted.length, 1);
  assert.equal(workers.ended, 1);
});

test("a request that fails leaves the worker; one that breaks the engine gets another", async () => {
  const workers = new Workers(({ ask, json }) => (ask === "call" && JSON.parse(json).error ? Promise.reject(new Error(JSON.parse(json).error)) : Promise.resolve("done")));
  const engine = engineWith(workers);
  await assert.rejects(engine.call("answer", { error: "no such model" }), /no such model/);
  assert.equal(await engine.call("answer", {}), "done");
  assert.equal(workers.posted.length, 1);
  await assert.rejects(engine.call("answer", { error: "dead" }), /dead/);
  assert.equal(await engine.call("answer", {}), "done");
  assert.equal(workers.posted.length, 2);
});

test("closing fails what waits and ends the worker", async () => {
  const workers = new Workers(({ ask }) => (ask === "call" ? never() : Promise.resolve(null)));
  const engine = engineWith(workers);
  await engine.begin();
  const asked = [engine.call("answer", {}), engine.call("answer", {})];
  engine.close();
  for (const each of asked) await assert.rejects(each, /closed/);
  assert.equal(workers.ended, 1);
});

test("answers are Responses: status, headers, body, and parts as they come", async () => {
  const answers: Record<string, object> = {
    "/v1/models": { status: 200, type: "application/json", headers: { ETag: '"1"' }, body: '{"data":["日"]}' },
    "/v1/run": { status: 304, type: "", headers: {}, body: "" },
    "/v1/translate": { status: 400, type: "application/json", headers: {}, body: '{"error":"too long"}' },
    "/v1/completions": { status: 200, type: "text/event-stream", headers: {}, body: "" },
  };
  let asked: any;
  const engine = engineWith(
    new Workers(async ({ ask, json, id }, tell) => {
      if (ask !== "call") return null;
      asked = JSON.parse(json);
      if (asked.path === "/v1/completions") for (const part of ["data: 1\n\n", "data: 日\n\n"]) await pause(1), tell({ id, part });
      if (asked.path === "/v1/broken") throw new Error("it is broken");
      return answers[asked.path];
    }),
  );
  const models = await engineFetch(engine, "/v1/models?a=1&b=%20", { headers: { "If-None-Match": '"0"' } });
  assert.deepEqual(asked, { method: "GET", path: "/v1/models", query: "a=1&b=%20", body: "", headers: { "if-none-match": '"0"' } });
  assert.equal(models.headers.get("ETag"), '"1"');
  assert.deepEqual(await models.json(), { data: ["日"] });
  assert.equal((await engineFetch(engine, "/v1/run")).status, 304);
  const refused = await engineFetch(engine, "/v1/translate", { method: "POST", body: '{"q":"日"}' });
  assert.equal(asked.body, '{"q":"日"}');
  assert.deepEqual([refused.ok, await refused.json()], [false, { error: "too long" }]);
  assert.equal(await (await engineFetch(engine, "/v1/completions", { method: "POST" })).text(), "data: 1\n\ndata: 日\n\n");
  const broken = await engineFetch(engine, "/v1/broken");
  assert.deepEqual([broken.status, await broken.json()], [500, { error: "it is broken" }]);
});

test("files come out of the page as they went in; what is damaged is an error", async () => {
  const files = [
    { path: "/models/0/模型.bin", bytes: Uint8Array.from({ length: 1_000_003 }, (_, i) => (Math.sin(i) * 1e6) & 255) },
    { path: "/models/0/empty", bytes: new Uint8Array() },
    { path: "/models/1/config.json", bytes: new TextEncoder().encode("{}") },
  ];
  const base64 = deflateSync(packedFiles(files)).toString("base64"), shares: number[] = [];
  assert.deepEqual(filesOf(await unpack(base64, (share) => shares.push(share))), files);
  assert.equal(shares.at(-1), 1);
  assert.ok(shares.length > 3 && shares.every((share, i) => share >= 0 && share <= 1 && (i === 0 || share >= shares[i - 1]!)));
  await assert.rejects(unpack(base64.slice(0, base64.length / 2), () => undefined));
  await assert.rejects(unpack("AAAA", () => undefined));
  await assert.rejects(unpack("??", () => undefined));
  assert.throws(() => filesOf(packedFiles(files).subarray(0, 500_000)), /bytes/);
});
