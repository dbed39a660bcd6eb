// An engine that computes nothing, for tests of what surrounds the real one. Its text is the engine.js of a page.

function attuneEngine({ onPart }: { onPart(text: string): void }): Promise<object> {
  const files = new Map<string, Uint8Array>();
  const open: { folder: string }[] = [];
  const runs = new Map<string, { updates: number; rates: number[] }>();
  const FS = {
    mkdirTree: () => undefined,
    writeFile: (path: string, bytes: Uint8Array) => void files.set(path, bytes),
    readFile: (path: string) => files.get(path),
    readdir: (folder: string) => [".", "..", ...new Set([...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1).split("/")[0]!))],
    stat: (path: string) => ({ mode: files.has(path) ? 0 : 1 }),
    isDir: (mode: number) => mode === 1,
    analyzePath: (path: string) => ({ exists: [...files.keys()].some((each) => each === path || each.startsWith(`${path}/`)) }),
    unlink: (path: string) => void files.delete(path),
  };
  const text = (path: string) => new TextDecoder().decode(files.get(path));
  const json = (status: number, value: object) => ({ status, type: "application/json", headers: {}, body: JSON.stringify(value) });
  const busy = (milliseconds: number) => {
    for (const end = Date.now() + milliseconds; Date.now() < end; );
  };

  // What is read comes back in capital letters.
  const answers: Record<string, (body: any) => object> = {
    "/v1/models": () => json(200, { data: open.map((_, i) => ({ id: `model-${i}`, type: "rnn", task: i === 1 ? "generate" : "translate", parameters: 1000, beam_size: 1, attends: false, source: "en", target: "de" })) }),
    "/v1/translate": ({ q }) => {
      if (q.includes("forever")) busy(3600_000);
      if (q.includes("crash")) throw new Error("unreachable");
      if (q.includes("refuse")) return json(400, { error: "this text cannot be translated" });
      const source = q.trim(), output = source.toUpperCase();
      return json(200, { translations: [{ text: output, sentences: [{ source, outputs: [{ text: output, normalised: -1, ended: true, tokens: [output], word_scores: [-1, 0] }] }] }] });
    },
    "/v1/next": ({ q }) => json(200, { candidates: [{ token: "x", p: 1, text: `${q}x` }] }),
    "/v1/completions": ({ prompt }) => {
      for (const word of ["one", "zwei", "三"]) {
        onPart(`data: ${JSON.stringify({ choices: [{ text: ` ${word}` }] })}\n\n`);
        if (prompt.includes("slow")) busy(prompt.includes("forever") ? 3600_000 : 100);
      }
      return { status: 200, type: "text/event-stream", headers: {}, body: "" };
    },
  };

  const calls: Record<string, (request: any) => object> = {
    open({ models }) {
      open.splice(0, open.length, ...models);
      for (const { folder } of open) if (text(`${folder}/model.bin`) === "broken") return { error: `${folder}: model.bin is damaged` };
      return {};
    },
    answer: ({ method, path, query, body }) => (answers[path] ? answers[path]!(body ? JSON.parse(body) : null) : json(404, { error: `nothing at ${method} ${path}?${query}` })),
    dates({ folder }) {
      for (const name of ["train.written", "train.iso", "valid.written", "valid.iso"]) files.set(`${folder}/${name}`, new TextEncoder().encode("x\n"));
      return {};
    },
    // Ten updates a call.
    train({ settings }) {
      busy(30);
      for (const path of [...settings.train_sets, ...settings.valid_sets]) if (!files.has(path)) return { error: `${path} is not there` };
      if (Number(settings.learning_rate) === 0.666) throw new Error("out of memory");
      if (Number(settings.learning_rate) > 1) return { error: "learning_rate: 1 at most" };
      const run = runs.get(settings.model) ?? { updates: 0, rates: [] }, last = Number.parseInt(settings.after, 10);
      if (![...files.keys()].some((path) => path.startsWith(`${settings.model}/`))) Object.assign(run, { updates: 0, rates: [] });
      runs.set(settings.model, run);
      files.set(`${settings.model}/metrics.jsonl`, new Uint8Array());
      run.updates = Math.min(run.updates + 10, last);
      run.rates.push(Number(settings.learning_rate));
      files.set(`${settings.model}/best-exact/config.json`, new TextEncoder().encode(JSON.stringify({ lines: text(settings.train_sets[0]), settings })));
      files.set(`${settings.model}/best-exact/vocabulary/source.txt`, new TextEncoder().encode("日\n"));
      const metrics = run.rates.map((learning_rate, i) => ({ kind: "training", update: 10 * (i + 1), loss: 4 / (i + 1), learning_rate }));
      const attention = { model: "", type: "rnn", source: "ab", target: "b", encoder_tokens: ["a", "b"], decoder_tokens: ["<s>", "b"], decoder_outputs: ["b", "</s>"], cross_attention: [[[[0.2, 0.8], [0.6, 0.4]]]] };
      const validations = metrics.map(({ update }) => ({ update, samples: ["ab", "b", update > 10 ? "b" : "?"], attention: settings.attend_sentence ? JSON.stringify(attention) : null }));
      return {
        finished: run.updates >= last, scores: { exact: Math.min(100, run.updates) }, samples: [],
        progress: { updates: run.updates, epochs: 1, tokens: 100 * run.updates, seconds: run.updates / 10, share: run.updates / last, loss: 4 / run.rates.length, learning_rate: settings.learning_rate },
        run: { name: settings.model, metrics, validations },
      };
    },
  };
  return Promise.resolve({ FS, call: (name: string, request: string) => JSON.stringify(calls[name]!(JSON.parse(request))) });
}

export const mockEngine = `var attuneEngine = ${attuneEngine};`;
export const mockBinary = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0); // a module without anything
