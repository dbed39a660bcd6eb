// attune shortlist: which target words a model chooses from.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "attune/error.h"
#include "base/readable.h"
#include "cli/options/corpus_options.h"
#include "cli/verb.h"
#include "decode/word_choice/shortlist.h"
#include "models/model_files.h"
#include "text/corpus/corpus.h"

namespace attune::cli {
namespace {

// One line in this many is held out; the list is measured on those.
constexpr int64_t kHeldOut = 20;

struct Options {
  std::string model;
  std::vector<std::string> train_sets;
  CorpusOptions corpus;
  int64_t best = 100, frequent = 100, lines = 300'000;
};

// How well the list fits sentences from which it was not learned.
std::string measured(const Shortlist& shortlist, const std::vector<SentencePair>& pairs, int64_t vocabulary) {
  int64_t words = 0, written = 0, listed = 0;
  for (const SentencePair& pair : pairs) {
    const auto list = shortlist.words(pair.source);
    words += static_cast<int64_t>(list.size());
    written += static_cast<int64_t>(pair.target.size());
    listed += std::ranges::count_if(pair.target,
                                    [&](int32_t word) { return std::ranges::binary_search(list, word); });
  }
  if (written == 0) return "too few to measure it on held-out lines";
  const auto lines = static_cast<int64_t>(pairs.size());
  return fmt::format(
      "on {} other lines, a sentence may write {} of {} words, and {} of the reference's are among them",
      grouped(lines), grouped(words / lines), grouped(vocabulary),
      percentage(static_cast<double>(listed) / static_cast<double>(written)));
}

void run(const Options& options) {
  const ModelFiles folder = load_model_files(options.model);
  if (!folder.config->task().translates())
    throw UsageError(fmt::format("{}: a shortlist is for models that translate, but this one is of type {}",
                                 folder.path.string(), folder.config->type()));
  const Corpus corpus(options.corpus.sources(options.train_sets));
  say_left_out(corpus);
  if (corpus.columns() != 2)
    throw UsageError(
        fmt::format("--train-sets: there are {} columns of text, but a source and a target are "
                    "needed",
                    corpus.columns()));
  std::vector<SentencePair> learned, held_out;
  const int64_t lines = std::min(corpus.lines(), options.lines);
  for (int64_t n = 0; n < lines; ++n) {
    const int64_t i = n * corpus.lines() / lines;  // spread over the whole corpus
    (n % kHeldOut == kHeldOut - 1 ? held_out : learned)
        .push_back({folder.vocabularies.source->encode(corpus.column(i, 0)),
                    folder.vocabularies.target->encode(corpus.column(i, 1))});
  }
  const Shortlist shortlist = Shortlist::learn(learned, folder.vocabularies, options.best, options.frequent);
  shortlist.save(folder.path / kShortlistFile);
  fmt::print("{}: learned from {} lines; {}\n", (folder.path / kShortlistFile).string(),
             grouped(static_cast<int64_t>(learned.size())),
             measured(shortlist, held_out, folder.vocabularies.target->size()));
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.footer(
      "  attune shortlist -m runs/en-de -t train.en train.de\n"
      "  attune translate -m runs/en-de --shortlist < in.txt > out.txt");
  app.add_option("-m,--model", options->model, "model folder, or folder of a run")->required();
  app.add_option("-t,--train-sets", options->train_sets,
                 "files whose lines belong together: source, target; or one that holds both")
      ->required();
  options->corpus.add_options(app);
  app.add_option("--best", options->best, "how many of the likeliest translations of each source word")
      ->check(CLI::PositiveNumber);
  app.add_option("--frequent", options->frequent,
                 "how many of the most frequent target words, for every sentence")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--lines", options->lines,
                 "read at most this many lines, spread over the files; a million need about 0.7 GB")
      ->check(CLI::PositiveNumber);
  return [options] { run(*options); };
}

const RegisterVerb registered{
    {"shortlist", "list likely output words for each source word, for faster decoding", set_up}};

}  // namespace
}  // namespace attune::cli
