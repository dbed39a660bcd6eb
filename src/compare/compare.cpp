#include "compare/compare.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/readable.h"
#include "compare/run/decoding_steps.h"
#include "compare/run/display.h"
#include "compare/run/scoring.h"
#include "compare/run/training_step.h"
#include "train/data/corpora.h"
#include "train/plan/complete_run.h"

namespace attune::compare {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string made_by(const Recipe& recipe, const std::string& program) {
  const int64_t given = recipe.models[0].config.train.cpu_threads;
  const int64_t count = given > 0 ? given : threads();
  return fmt::format("{:%Y-%m-%d}, {}, {} of {}", fmt::localtime(std::time(nullptr)), program,
                     counted(count, "thread"), processor());
}

std::string run_name(const Contestant& model) {
  return fmt::format("{}, seed {}", model.name, model.config.train.seed);
}

// Puts the name of a model before its error message.
template <class F>
auto of_model(const std::string& name, F&& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    const std::string text = error.what();
    throw UsageError(text.find(name) == std::string::npos ? fmt::format("{}: {}", name, text) : text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

// The sizes that the recipe leaves open.
void complete(RunConfig& config) {
  if (config.leaves_open())
    complete_run(config, training_corpus(config.train, config.model->task()), TrainFrom::checkpoint);
}

// Everything that can be refused is refused before any training starts.
void prepare(Recipe& recipe, const CompareOptions& options) {
  for (Contestant& model : recipe.models) {
    of_model(model.name, [&] { complete(model.config); });
    const std::string changes = of_model(model.name, [&] { return changes_since(model); });
    if (changes.empty()) continue;
    if (!options.retrain) refuse_changed(model, changes);
    std::filesystem::remove_all(model.config.train.model);
  }
}

Training train_model(Contestant& model, Display& display) {
  if (const auto before = trained(model)) {
    display.done("already trained", 0);
    return *before;
  }
  display.step("training");
  Training training = train_in_child(model, display);
  display.done(fmt::format("{} parameters, {} updates in {}, {} tokens/s", grouped(training.parameters),
                           grouped(training.updates), duration(training.seconds),
                           grouped(static_cast<int64_t>(training.tokens_per_second()))),
               training.seconds);
  return training;
}

RunResult use_model(Contestant& model, const Recipe& recipe, const std::vector<std::string>& looked_at,
                    Display& display) {
  RunResult result{.seed = model.config.train.seed,
                   .training = train_model(model, display),
                   .outcome = outcome_of(model),
                   .decodings = {},
                   .looks = {},
                   .alignments = {}};
  for (const TestSet& test : recipe.tests)
    result.decodings.push_back(decode_in_child(model, recipe, test, [&](size_t done, size_t all) {
      if (done == 0) display.step("translating " + test.name);
      display.share(static_cast<double>(done) / static_cast<double>(all));
    }));
  ProbeResult sight = probe_in_child(model, recipe, looked_at, [&] { display.step("looking at attention"); });
  result.looks = std::move(sight.looks);
  result.alignments = std::move(sight.alignments);
  return result;
}

// The recipe's sentences, or one of medium length.
std::vector<std::string> sentences_to_look_at(const Recipe& recipe) {
  if (!recipe.look_at.empty()) return recipe.look_at;
  const auto groups = length_groups(recipe, recipe.tests[0]);
  return {recipe.tests[0].sources[groups[groups.size() / 2].sentences[0]]};
}

}  // namespace

Results compare(Recipe& recipe, const CompareOptions& options) {
  prepare(recipe, options);
  Results results;
  results.title = recipe.title;
  results.text = recipe.text;
  results.budget = recipe.budget;
  results.length_unit = recipe.length_unit;
  results.length_unit_suits = recipe.length_unit_suits;
  results.made = made_by(recipe, options.program);
  results.looked_at = sentences_to_look_at(recipe);
  for (const GoldSet& gold : recipe.golds) results.golds.push_back(gold.name);
  Display display(recipe.models.size());
  for (Contestant& model : recipe.models) {
    display.model(recipe.seeds.empty() ? model.name : run_name(model));
    if (results.models.empty() || results.models.back().name != model.name)
      results.models.push_back({.name = model.name,
                                .about = model.about,
                                .changes = model.changes,
                                .type = model.config.model->type(),
                                .runs = {},
                                .tests = {}});
    results.models.back().runs.push_back(
        of_model(model.name, [&] { return use_model(model, recipe, results.looked_at, display); }));
  }
  display.step("scoring");
  score(recipe, results);
  return results;
}

}  // namespace attune::compare
