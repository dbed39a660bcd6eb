// Translates with Marian. usage: node marian_judge.cjs PACKAGE JOBS.json
// PACKAGE: the unpacked npm package @browsermt/bergamot-translator. A job is {model, vocabularies, beam, sentences};
// written is for each job and sentence [text, log p of each word]. The package gives them as marks of its HTML.
const fs = require('fs'), path = require('path'), vm = require('vm');

const folder = path.resolve(process.argv[2], 'worker');
const jobs = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
const products = {
  int8_prepare_a: 'int8PrepareAFallback', int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback', int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback'};

function memory(bytes, alignment) {
  const held = new Module.AlignedMemory(bytes.length, alignment);
  held.getByteArrayView().set(bytes);
  return held;
}

function words(html) {
  const found = [...html.matchAll(/x-bergamot-word-score="([^"]*)">([^<]*)</g)];
  return [found.map(([, , word]) => word).join(' '), found.map(([, score]) => Number(score))];
}

function translated({model, vocabularies, beam, sentences}) {
  const options = {
    'beam-size': beam, normalize: 0.6, 'word-penalty': 0, 'cpu-threads': 0, 'gemm-precision': 'float32', 'skip-cost': false,
    alignment: 'soft', quiet: true, 'quiet-translation': true, 'max-length-break': 128, 'mini-batch-words': 1024,
    workspace: 32, 'max-length-factor': 3, 'ssplit-mode': 'sentence'};
  const yaml = Object.entries(options).map(([key, value]) => `${key}: ${value}\n`).join('');
  const held = new Module.AlignedMemoryList(), input = new Module.VectorString(), wishes = new Module.VectorResponseOptions();
  vocabularies.forEach(file => held.push_back(memory(fs.readFileSync(file), 64)));
  const network = new Module.TranslationModel(yaml, memory(fs.readFileSync(model), 256), memory([], 64), held, null);
  sentences.forEach(sentence => {
    input.push_back(sentence);
    wishes.push_back({alignment: false, html: true, qualityScores: true});
  });
  const service = new Module.BlockingService({cacheSize: 0}), answers = service.translate(network, input, wishes);
  const found = sentences.map((_, i) => words(answers.get(i).getTranslatedText()));
  for (const done of [answers, service, network, held, input, wishes]) done.delete();
  return found;
}

globalThis.require = require;
globalThis.__dirname = folder;
globalThis.__filename = path.join(folder, 'bergamot-translator-worker.js');
globalThis.Module = {
  print: console.error,
  printErr: console.error,
  instantiateWasm(imports, accept) {
    const linked = Object.entries(products).map(([name, own]) => [name, (...values) => Module.asm[own](...values)]);
    WebAssembly.instantiate(fs.readFileSync(path.join(folder, 'bergamot-translator-worker.wasm')),
      {...imports, wasm_gemm: Object.fromEntries(linked)}).then(({instance}) => accept(instance));
    return {};
  },
  onRuntimeInitialized: () => process.stdout.write(JSON.stringify(jobs.map(translated))),
};
vm.runInThisContext(fs.readFileSync(globalThis.__filename, 'utf8'));
