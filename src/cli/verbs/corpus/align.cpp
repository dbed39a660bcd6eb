// attune align: which words of parallel sentences translate each other.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>

#include "attune/error.h"
#include "base/known_names.h"
#include "base/threads/parallel.h"
#include "cli/options/model_options.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "folder/model_folder.h"
#include "look/attention_aligner.h"
#include "metrics/alignment_error.h"
#include "text/alignment/symmetrize.h"
#include "text/alignment/word_aligner.h"
#include "text/corpus/corpus.h"

namespace attune::cli {
namespace {

struct Options {
  std::string source, target, model, target_language, symmetrize = "grow-diag-final-and", gold;
  std::vector<std::string> train_sets;
  int64_t lines = 1'000'000;
  int iterations = 5;
};

// Both directions of one sentence pair.
struct Directions {
  std::vector<int32_t> forward, backward;
};
using AlignPair = std::function<Directions(const std::string& source, const std::string& target)>;

// Numbers for words in the order in which they are first seen.
class WordIds {
 public:
  std::vector<int32_t> learn(std::string_view text) {
    std::vector<int32_t> ids;
    for (const std::string_view word : blank_separated(text))
      ids.push_back(ids_.try_emplace(std::string(word), static_cast<int32_t>(ids_.size())).first->second);
    return ids;
  }
  std::vector<int32_t> find(std::string_view text) const {
    std::vector<int32_t> ids;
    for (const std::string_view word : blank_separated(text)) {
      const auto id = ids_.find(std::string(word));
      ids.push_back(id == ids_.end() ? WordAligner::kUnknown : id->second);
    }
    return ids;
  }
  int64_t size() const { return static_cast<int64_t>(ids_.size()); }

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

SentencePair swapped(const SentencePair& pair) { return {pair.target, pair.source}; }

struct Learned {
  WordIds source, target;
  std::unique_ptr<const WordAligner> forward, backward;
};

AlignPair learn_from(const Corpus& corpus, const Options& options) {
  auto learned = std::make_shared<Learned>();
  std::vector<SentencePair> pairs;
  const int64_t lines = std::min(corpus.lines(), options.lines);
  for (int64_t n = 0; n < lines; ++n) {
    const int64_t i = n * corpus.lines() / lines;  // spread over all files
    pairs.push_back({learned->source.learn(corpus.column(i, 0)), learned->target.learn(corpus.column(i, 1))});
  }
  std::vector<SentencePair> reversed;
  std::ranges::transform(pairs, std::back_inserter(reversed), swapped);
  const AlignerOptions aligner{.iterations = options.iterations};
  parallel_for(2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t direction = begin; direction < end; ++direction)
      if (direction == 0)
        learned->forward = std::make_unique<WordAligner>(pairs, learned->source.size(), aligner);
      else
        learned->backward = std::make_unique<WordAligner>(reversed, learned->target.size(), aligner);
  });
  return [learned](const std::string& source, const std::string& target) -> Directions {
    const SentencePair pair{learned->source.find(source), learned->target.find(target)};
    return {learned->forward->align(pair), learned->backward->align(swapped(pair))};
  };
}

AlignPair by_attention(const std::string& path, const std::string& target_language) {
  const ModelFolder folder = ModelFolder(path).towards(target_language);
  folder.require_source();
  auto aligner = std::make_shared<const AttentionAligner>(
      folder.prober({.name = path, .search = folder.search(), .candidates = 1}), folder.vocabularies());
  return [aligner](const std::string& source, const std::string& target) -> Directions {
    LikeliestWords words = aligner->align(source, target);
    return {std::move(words.of_targets), std::move(words.of_sources)};
  };
}

void run(const Options& options) {
  const Symmetry symmetry = symmetry_of(options.symmetrize);
  if (!options.model.empty() && !options.train_sets.empty())
    throw UsageError("align: -t is text to learn from, but -m gives a model that has learned; leave one out");
  const CorpusSource files{{options.source, options.target}};
  const Corpus corpus({files});
  std::vector<CorpusSource> all{files};
  if (!options.train_sets.empty()) all.push_back({options.train_sets});
  const AlignPair align = options.model.empty() ? learn_from(Corpus(all), options)
                                                : by_attention(options.model, options.target_language);
  std::unique_ptr<const LineFile> gold;
  if (!options.gold.empty()) {
    gold = std::make_unique<const LineFile>(options.gold);
    if (gold->lines() != corpus.lines())
      throw UsageError(
          fmt::format("align: {} has {} lines, but {} has {}: line i of one must belong to line "
                      "i of the other",
                      options.gold, gold->lines(), options.source, corpus.lines()));
  }
  const metrics::AlignmentError error;
  metrics::Statistics totals;
  for (int64_t i = 0; i < corpus.lines(); ++i) {
    const Directions directions = align(corpus.column(i, 0), corpus.column(i, 1));
    const std::string links = pharaoh(symmetrize(directions.forward, directions.backward, symmetry));
    if (gold) {
      const metrics::Statistics line = error.statistics(links, std::vector{gold->line(i)});
      metrics::add_to(totals, {&line, 1});
    } else {
      put(links + '\n');
    }
  }
  if (gold) {
    const metrics::Score score = metrics::score(error, totals);
    put(fmt::format("{} = {:.1f} {}\n", score.name, score.value, score.verbose));
  }
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.footer(
      "  attune align train.zh train.en > train.align\n"
      "  attune align train.zh train.en -m runs/zh-en > train.align\n"
      "  attune align test.zh test.en -t train.zh train.en --gold test.gold\n"
      "  attune train config.yml --guided-alignment train.align");
  app.add_option("SOURCE", options->source, "a sentence a line, words separated by blanks")->required();
  app.add_option("TARGET", options->target, "the translation of each line")->required();
  app.add_option("-m,--model", options->model,
                 "align by the attention of this model; without it: by what the text teaches");
  add_target_language(app, options->target_language);
  app.add_option("-t,--train-sets", options->train_sets, "more text to learn from: source, target")
      ->expected(2);
  app.add_option("--symmetrize", options->symmetrize,
                 "how two directions become one: " + comma_separated(symmetry_names()));
  app.add_option("--iterations", options->iterations, "passes over the text that it learns from")
      ->check(CLI::PositiveNumber);
  app.add_option("--lines", options->lines,
                 "learn from at most this many lines, spread over the files; a million take 1 to 2 GB")
      ->check(CLI::PositiveNumber);
  app.add_option(
      "--gold", options->gold,
      "print no links but their error rate (AER), given the right ones: 3-4 is sure, 3p4 possible");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"align", "find the words that translate each other in parallel text", set_up}};

}  // namespace
}  // namespace attune::cli
