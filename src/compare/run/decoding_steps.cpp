#include "compare/run/decoding_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "attune/threads.h"
#include "base/stop_signal.h"
#include "compare/run/attention_steps.h"
#include "compare/run/child_process.h"
#include "compare/run/step_cache.h"
#include "compare/run/training_step.h"
#include "io/files/digest.h"
#include "ops/product/engine.h"

namespace attune::compare {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSentencesAtOnce = 256;

// Everything that a model's outputs for these texts depend on.
std::vector<std::string> origin_of(const Contestant& model, const Recipe& recipe) {
  std::vector<std::string> origin{file_digest(model_of(model) / "weights.safetensors"),
                                  std::string(name(chosen(model.config.train.precision)))};
  for (const Entry& entry : entries_of(fields_of(recipe.search))) origin.push_back(entry.values[0]);
  if (!recipe.target_language.empty()) origin.push_back(recipe.target_language);
  return origin;
}

// As the recipe uses it: products have the precision of its training.
ModelFolder folder_of(const Contestant& model, const Recipe& recipe) {
  ModelFolder folder(model_of(model));
  folder.multiply_in(chosen(model.config.train.precision));
  return folder.towards(recipe.target_language);
}

Decoding decode(const Contestant& model, const Recipe& recipe, const TestSet& test,
                const SentencesDone& progress) {
  const StopSignal signals;
  if (model.config.train.cpu_threads > 0) set_threads(static_cast<int>(model.config.train.cpu_threads));
  const Translator translator = folder_of(model, recipe).translator({.search = recipe.search});
  Decoding decoding;
  for (size_t begin = 0; begin < test.sources.size(); begin += kSentencesAtOnce) {
    if (StopSignal::asked()) throw Interrupted();
    const size_t count = std::min(kSentencesAtOnce, test.sources.size() - begin);
    std::vector<TranslatorInput> inputs;
    for (size_t i = begin; i < begin + count; ++i) inputs.push_back({.text = test.sources[i], .number = i});
    const auto start = std::chrono::steady_clock::now();
    const auto found = translator.search(inputs);
    decoding.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (size_t i = 0; i < count; ++i) {
      decoding.outputs.push_back(translator.text(found[i][0], inputs[i]));
      decoding.tokens += static_cast<int64_t>(found[i][0].words.size());
    }
    progress(begin + count, test.sources.size());
  }
  return decoding;
}

}  // namespace

Decoding decode_in_child(const Contestant& model, const Recipe& recipe, const TestSet& test,
                         const SentencesDone& progress) {
  std::vector<std::string> origin = origin_of(model, recipe);
  origin.push_back(digest(test.sources));
  const std::string key = digest(origin);
  const fs::path folder = fs::path(model.config.train.model) / "compare";
  const fs::path file = folder / fmt::format("test-{}.json", file_name(test.name)),
                 fresh = folder / "fresh.json";
  if (const auto done = cached_step(file, key)) return done->get<Decoding>();
  progress(0, test.sources.size());
  const Cost cost = run_in_child([&] { cache_step(fresh, key, decode(model, recipe, test, progress)); });
  auto decoding = cached_step(fresh, key).value().get<Decoding>();
  decoding.peak_memory = cost.peak_memory;
  cache_step(file, key, decoding);
  fs::remove(fresh);
  return decoding;
}

ProbeResult probe_in_child(const Contestant& model, const Recipe& recipe,
                           const std::vector<std::string>& sentences, const std::function<void()>& begins) {
  std::vector<std::string> origin = origin_of(model, recipe);
  origin.push_back(digest(sentences));
  for (const GoldSet& gold : recipe.golds) {
    for (const auto* lines : {&gold.sources, &gold.targets, &gold.links}) origin.push_back(digest(*lines));
    origin.push_back(enum_names(gold.unit)[static_cast<size_t>(gold.unit)]);
  }
  const std::string key = digest(origin);
  const fs::path file = fs::path(model.config.train.model) / "compare" / "sight.json";
  if (!cached_step(file, key)) {
    begins();
    run_in_child([&] {
      const ModelFolder folder = folder_of(model, recipe);
      Json looks = Json::array(), alignments = Json::array();
      for (const std::string& sentence : sentences) looks.push_back(look(folder, recipe.search, sentence));
      for (const GoldSet& gold : recipe.golds) alignments.push_back(align(folder, recipe.search, gold));
      cache_step(file, key, {{"looks", looks}, {"alignments", alignments}});
    });
  }
  const Json sight = cached_step(file, key).value();
  return {sight["looks"].get<std::vector<Look>>(),
          sight["alignments"].get<std::vector<std::vector<Alignment>>>()};
}

}  // namespace attune::compare
