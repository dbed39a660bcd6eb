// The engine's client, without a worker: one thing at a time, giving up, failing, and Responses as from a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { engineFetch } from "../src/engine/answers";
import { filesOf, unpack } from "../src/engine/embedded";
import { Engine, EngineFailure, type Launch } from "../src/engine/engine";
import type { Told } from "../src/engine/messages";
import { Team, teamSize } from "../src/engine/team";
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

// ---- A team. Its played engines write in capitals, and a share for each sentence as long as there are workers.
const LONG_TEXT = "a quiet sentence that is long enough. ".repeat(6).trim();
const sentencesOf = (text: string) => text.match(/[^.]+\. ?/g)!;

function teamOf(size: number, refuse = (_name: string, _asked: any): boolean => false) {
  const workers = new Workers(async ({ ask, name, json }) => {
    if (ask !== "call") return null;
    const asked = JSON.parse(json), { q } = JSON.parse(asked.body);
    if (refuse(name, asked)) throw new Error("refused");
    await pause(1);
    if (name === "share") return { shares: sentencesOf(q).reduce((all: string[], one, i) => ((all[i % asked.most] = (all[i % asked.most] ?? "") + one), all), []) };
    if (name === "join") return { text: asked.sentences.map(({ output }: any) => output).join("|") };
    const sentences = sentencesOf(q).map((source) => ({ source, outputs: [{ text: source.toUpperCase() }] }));
    return { status: 200, type: "application/json", headers: {}, body: JSON.stringify({ model: "m", translations: [{ text: q.toUpperCase(), sentences }] }) };
  });
  return { workers, team: new Team({ launch: workers.launch, module, files: [], open: { models: [] } }, size) };
}

const translated = async (team: Team, q: unknown, signal?: AbortSignal) =>
  (await (await team.fetch("/v1/translate", { method: "POST", body: JSON.stringify({ q, model: "m" }), signal })).json()).translations[0];

test("a long text is shared by the team, and joined", async () => {
  const { team, workers } = teamOf(3);
  const { text, sentences } = await translated(team, LONG_TEXT);
  assert.equal(sentences.length, 6);
  assert.equal(text, sentences.map(({ outputs }: any) => outputs[0].text).join("|"));
  assert.deepEqual(workers.posted.map(asks), [["begin", "share", "answer", "join"], ["begin", "answer"], ["begin", "answer"]]);
  team.close();
  assert.equal(workers.ended, 3);
});

test("short texts and teams of one ask one engine", async () => {
  const { team, workers } = teamOf(3);
  assert.equal((await translated(team, "short. 日")).text, "SHORT. 日");
  const alone = teamOf(1);
  assert.equal((await translated(alone.team, LONG_TEXT)).text, LONG_TEXT.toUpperCase());
  assert.deepEqual([...workers.posted, ...alone.workers.posted].map(asks), [["begin", "answer"], ["begin", "answer"]]);
});

test("where a share fails, one engine answers for all", async () => {
  for (const wrong of ["share", "join"]) {
    const { team } = teamOf(2, (name) => name === wrong);
    assert.equal((await translated(team, LONG_TEXT)).text, LONG_TEXT.toUpperCase());
  }
  const { team } = teamOf(2, (name, { body }) => name === "answer" && JSON.parse(body).q.length < LONG_TEXT.length);
  assert.equal((await translated(team, LONG_TEXT)).text, LONG_TEXT.toUpperCase());
});

test("a text that is given up is given up by the whole team", async () => {
  const stop = new AbortController(), { team, workers } = teamOf(2, (name) => (name === "answer" && stop.abort(new Error("enough")), false));
  await assert.rejects(translated(team, LONG_TEXT, stop.signal), /enough/);
  assert.ok(!workers.posted.map(asks).flat().includes("join"));
});

test("a team has as many workers as cores, unless its models are large", () => {
  const of = (bytes: number) => ({ files: [{ path: "a", bytes: { length: bytes } as Uint8Array }] }) as any;
  assert.deepEqual([teamSize(undefined, of(10)), teamSize(1, of(10)), teamSize(2, of(4e6)), teamSize(64, of(4e6)), teamSize(8, of(100e6)), teamSize(8, of(1e9))], [1, 1, 2, 4, 2, 1]);
});
