// Marian's own engine for browsers (npm: @browsermt/bergamot-translator 0.4.9) in a page, to be asked as attune's is.
import { readFileSync } from "node:fs";
import { join } from "node:path";

// As its readme advises: greedy, without scores. A line may have several sentences, as in attune's pages.
const OPTIONS = {
  "beam-size": 1, normalize: 0.6, "word-penalty": 0, "max-length-break": 128, "mini-batch-words": 1024, workspace: 128,
  "max-length-factor": 3, "skip-cost": true, "cpu-threads": 0, quiet: true, "quiet-translation": true, alignment: "soft", "ssplit-mode": "paragraph",
};

const base64 = (file) => readFileSync(file).toString("base64");

// model: a .bin of f32; precision: float32, or int8shiftAll, which makes 8 bits of it when it is loaded.
export async function openedMarian(browser, folder, model, vocabulary, precision) {
  const page = await browser.newPage();
  await page.goto("about:blank");
  const yaml = Object.entries({ ...OPTIONS, "gemm-precision": precision }).map(([key, value]) => `${key}: ${value}\n`).join("");
  await page.evaluate(([wasm]) => {
    globalThis.bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    // Products that the browser may bring, and the engine's own otherwise.
    const names = ["prepare_a", "prepare_b", "prepare_b_from_transposed", "prepare_b_from_quantized_transposed", "prepare_bias", "multiply_and_add_bias", "select_columns_of_b"];
    const own = (name) => `int8${name.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("")}Fallback`;
    globalThis.ready = new Promise((resolve) => {
      globalThis.Module = {
        print: console.log,
        printErr: console.error,
        onRuntimeInitialized: resolve,
        instantiateWasm(imports, accept) {
          const products = Object.fromEntries(names.map((name) => [`int8_${name}`, (...values) => Module.asm[own(name)](...values)]));
          WebAssembly.instantiate(bytesOf(wasm), { ...imports, wasm_gemm: products }).then(({ instance }) => accept(instance));
          return {};
        },
      };
    });
  }, [base64(join(folder, "worker/bergamot-translator-worker.wasm"))]);
  await page.addScriptTag({ content: readFileSync(join(folder, "worker/bergamot-translator-worker.js"), "utf8") });
  await page.evaluate(async ([config, network, words]) => {
    await ready;
    const held = (bytes, alignment) => {
      const memory = new Module.AlignedMemory(bytes.length, alignment);
      memory.getByteArrayView().set(bytes);
      return memory;
    };
    const vocabularies = new Module.AlignedMemoryList();
    vocabularies.push_back(held(bytesOf(words), 64));
    const model = new Module.TranslationModel(config, held(bytesOf(network), 256), held([], 64), vocabularies, null);
    const service = new Module.BlockingService({ cacheSize: 0 });
    globalThis.translated = (lines) => {
      const input = new Module.VectorString(), wishes = new Module.VectorResponseOptions();
      for (const line of lines) {
        input.push_back(line);
        wishes.push_back({ alignment: false, html: false, qualityScores: false });
      }
      const answers = service.translate(model, input, wishes);
      const texts = lines.map((_, i) => ({ text: answers.get(i).getTranslatedText() }));
      for (const done of [answers, input, wishes]) done.delete();
      return texts;
    };
  }, [yaml, base64(model), base64(vocabulary)]);
  return page;
}
