// Scores of hypotheses against references, with sacreBLEU's options and signatures.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "attune/error.h"
#include "base/known_names.h"
#include "cli/reports/evaluate_report.h"
#include "cli/rows/evaluate_input.h"
#include "cli/verb.h"
#include "metrics/make_metric.h"
#include "metrics/significance.h"

namespace attune::cli {
namespace {

using metrics::Metric;
using metrics::Statistics;

struct Options {
  std::vector<std::string> hypotheses{"-"}, references, metrics{"bleu"};
  metrics::MetricOptions metric;
  std::string smooth_method = "exp";
  int64_t confidence_samples = 1000, bootstrap_samples = 1000, randomization_trials = 10000;
  uint64_t seed = metrics::kSacrebleuSeed;
  bool sentence_level = false, confidence = false, paired_bs = false, paired_ar = false;
  bool json = false, score_only = false;
  int width = 1;
};

void check_options(const Options& options) {
  const size_t systems = options.hypotheses.size();
  const bool paired = options.paired_bs || options.paired_ar;
  std::vector<std::string> files = options.hypotheses;
  std::ranges::sort(files);
  if (const auto twice = std::ranges::adjacent_find(files); twice != files.end())
    throw UsageError(fmt::format("evaluate: '{}' is given twice", *twice));
  if (files.front() == "-" && std::ranges::count(options.references, "-") > 0)
    throw UsageError("evaluate: stdin can be the hypotheses or the references, not both");
  if (paired && systems < 2)
    throw UsageError(
        "evaluate: a paired test compares systems: give the baseline's file first, then the others");
  if (options.sentence_level && systems > 1)
    throw UsageError("evaluate: --sentence-level takes the output of one system");
  if (options.sentence_level && (paired || options.confidence))
    throw UsageError("evaluate: --sentence-level has no statistical tests");
}

std::vector<std::unique_ptr<Metric>> make_metrics(const Options& options) {
  metrics::MetricOptions with = options.metric;
  with.bleu.smoothing = metrics::smoothing_of(options.smooth_method);
  with.bleu.effective_order = with.bleu.effective_order || options.sentence_level;
  std::vector<std::unique_ptr<Metric>> all;
  for (const std::string& name : options.metrics)
    for (auto& metric : metrics::make_metrics(name, with)) all.push_back(std::move(metric));
  return all;
}

// Scoring text that is still tokenised is a mistake that shows only as a low or high BLEU.
void warn_of_tokenized(const std::string& path, int64_t lines) {
  if (lines >= 100)
    fmt::print(stderr,
               "attune: {}: {} lines end in ' .': is the text still tokenised? Scores are comparable only on "
               "raw text (--tokenize none if this is intended)\n",
               path, lines);
}

// Counts the lines of each system that look tokenised, where that matters.
class TokenizedLines {
 public:
  explicit TokenizedLines(const Options& options)
      : options_(options),
        matter_(std::ranges::find(options.metrics, "bleu") != options.metrics.end() &&
                options.metric.bleu.tokenize != "none"),
        counts_(options.hypotheses.size()) {}

  void count(const EvaluatedLines& some) {
    for (size_t s = 0; s < some.systems.size(); ++s)
      counts_[s] +=
          std::ranges::count_if(some.systems[s], [](const auto& line) { return line.ends_with(" ."); });
  }
  void warn() const {
    for (size_t s = 0; s < counts_.size() && matter_; ++s)
      warn_of_tokenized(options_.hypotheses[s], counts_[s]);
  }

 private:
  const Options& options_;
  bool matter_;
  std::vector<int64_t> counts_;
};

void by_sentence(const Options& options) {
  const auto all = make_metrics(options);
  EvaluateInput input(options.hypotheses, options.references);
  TokenizedLines tokenized(options);
  JsonList list;
  while (const auto some = input.next()) {
    tokenized.count(*some);
    std::vector<std::vector<Statistics>> statistics;
    for (const auto& metric : all)
      statistics.push_back(
          metrics::sentence_statistics(*metric, some->systems[0], some->references, some->first));
    for (size_t i = 0; i < some->systems[0].size(); ++i)
      for (size_t m = 0; m < all.size(); ++m) {
        const Result result{
            .system = options.hypotheses.front(),
            .line = some->first + i + 1,
            .score = metrics::score(*all[m], statistics[m][i]),
            .higher_is_better = all[m]->higher_is_better(),
            .signature = metrics::full_signature(options.references.size(), {}, all[m]->options())};
        fmt::print("{}", options.json ? list.add(result)
                                      : as_lines({&result, 1}, options.width, options.score_only));
      }
  }
  if (options.json) fmt::print("{}", list.end());
  tokenized.warn();
}

metrics::Resampling resampling_of(const Options& options) {
  if (options.paired_bs) return {"bs", options.bootstrap_samples, options.seed};
  if (options.paired_ar) return {"ar", options.randomization_trials, options.seed};
  if (options.confidence) return {"bs", options.confidence_samples, options.seed};
  return {};
}

// One system by one metric.
struct Collected {
  Statistics sum;
  std::vector<Statistics> sentences;  // for tests, which draw from them; empty without
};

// One metric of all systems, the first of which is the baseline of paired tests.
std::vector<Result> results_of(const Options& options, const Metric& metric,
                               const std::vector<Collected>& systems) {
  const metrics::Resampling resampling = resampling_of(options);
  const std::vector<Statistics>& baseline = systems[0].sentences;
  std::vector<Result> results;
  for (size_t s = 0; s < systems.size(); ++s) {
    const auto& [sum, sentences] = systems[s];
    Result result{
        .system = options.hypotheses[s],
        .score = metrics::score(metric, sum),
        .higher_is_better = metric.higher_is_better(),
        .signature = metrics::full_signature(options.references.size(), resampling, metric.options())};
    if (s > 0 && (options.paired_bs || options.paired_ar)) {
      const auto test = options.paired_bs ? metrics::paired_bootstrap : metrics::paired_randomization;
      const metrics::Comparison comparison =
          test(metric, baseline, sentences, resampling.samples, resampling.seed);
      result.p_value = comparison.p_value;
      result.interval = comparison.interval;
    } else if (resampling.kind == "bs") {
      result.interval = metrics::bootstrap_interval(metric, sentences, resampling.samples, resampling.seed);
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<Result> by_system(const Options& options) {
  const auto all = make_metrics(options);
  const bool keep = options.confidence || options.paired_bs || options.paired_ar;
  std::vector<std::vector<Collected>> collected(all.size(),
                                                std::vector<Collected>(options.hypotheses.size()));
  EvaluateInput input(options.hypotheses, options.references);
  TokenizedLines tokenized(options);
  while (const auto some = input.next()) {
    tokenized.count(*some);
    for (size_t m = 0; m < all.size(); ++m)
      for (size_t s = 0; s < some->systems.size(); ++s) {
        auto statistics =
            metrics::sentence_statistics(*all[m], some->systems[s], some->references, some->first);
        auto& [sum, sentences] = collected[m][s];
        metrics::add_to(sum, statistics);
        if (keep) std::ranges::move(statistics, std::back_inserter(sentences));
      }
  }
  tokenized.warn();
  std::vector<std::vector<Result>> columns;
  for (size_t m = 0; m < all.size(); ++m) columns.push_back(results_of(options, *all[m], collected[m]));
  std::vector<Result> results;
  for (size_t s = 0; s < options.hypotheses.size(); ++s)
    for (const auto& column : columns) results.push_back(column[s]);
  return results;
}

void explain_test(const Options& options) {
  if (!options.paired_bs && !options.paired_ar) return;
  const std::string test =
      options.paired_bs ? fmt::format("bootstrap, {} samples", options.bootstrap_samples)
                        : fmt::format("approximate randomisation, {} trials", options.randomization_trials);
  fmt::print(
      "\nPaired {}, against {}.\n"
      "p: chance of so large a difference between systems that are equally good; * marks p <= 0.05.\n",
      test, options.hypotheses.front());
}

void run(const Options& options) {
  check_options(options);
  if (options.sentence_level) return by_sentence(options);
  const std::vector<Result> results = by_system(options);
  if (options.json) {
    fmt::print("{}", as_json(results));
  } else if (options.hypotheses.size() > 1) {
    fmt::print("{}", as_table(results, options.width));
    explain_test(options);
  } else {
    fmt::print("{}", as_lines(results, options.width, options.score_only));
  }
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto& [bleu, chrf, ter, rouge] = options->metric;
  app.add_option("HYP", options->hypotheses, "files of hypotheses, one per system; - is stdin");
  app.add_option("-r,--references", options->references, "one or more files of references")
      ->required()
      ->default_str("");
  app.add_option("-m,--metrics", options->metrics,
                 "any of " + comma_separated(metrics::metric_names()) +
                     "; cer counts blanks as characters, cer-noblank does not");
  app.add_flag("--sentence-level", options->sentence_level,
               "score each line separately (BLEU with effective order)");

  app.add_option("--tokenize", bleu.tokenize,
                 "BLEU's tokeniser: " + comma_separated(metrics::tokenizer_names()));
  app.add_option("--spm-model", bleu.tokenizer.spm_model,
                 "SentencePiece model for --tokenize spm, flores101 or flores200");
  app.add_flag("--lowercase", bleu.lowercase, "ignore case in BLEU");
  app.add_option("--smooth-method", options->smooth_method, "smoothing of BLEU: none, floor, add-k, exp");
  app.add_option("--smooth-value", bleu.smooth_value, "value for floor (0.1) or add-k (1)");
  app.add_flag("--effective-order", bleu.effective_order, "leave orders without n-grams out of BLEU");
  app.add_option("--chrf-char-order", chrf.char_order, "longest character n-gram")->check(CLI::Range(1, 100));
  app.add_option("--chrf-word-order", chrf.word_order, "longest word n-gram; chrf++ has 2")
      ->check(CLI::Range(0, 100));
  app.add_option("--chrf-beta", chrf.beta, "weight of recall")->check(CLI::Range(1, 100));
  app.add_flag("--chrf-lowercase", chrf.lowercase, "ignore case in chrF");
  app.add_flag("--chrf-whitespace", chrf.whitespace, "count white space in character n-grams");
  app.add_flag("--chrf-eps-smoothing", chrf.eps_smoothing,
               "average the F scores of all orders, as NLTK and Moses do");
  app.add_flag("--ter-case-sensitive", ter.case_sensitive, "distinguish case in TER");
  app.add_flag("--ter-normalized", ter.normalized, "tokenise for TER");
  app.add_flag("--ter-no-punct", ter.no_punct, "ignore punctuation in TER");
  app.add_flag("--ter-asian-support", ter.asian_support, "apply the two above to Asian characters too");

  app.add_flag("--rouge-stemmer", rouge.stemmer, "compare the stems of English words in ROUGE (Porter's)");

  app.add_flag("--confidence", options->confidence, "95% confidence intervals by the bootstrap");
  app.add_option("--confidence-n", options->confidence_samples, "number of its samples")
      ->check(CLI::PositiveNumber);
  auto* paired_bs =
      app.add_flag("--paired-bs", options->paired_bs, "paired bootstrap against the first system");
  app.add_option("--paired-bs-n", options->bootstrap_samples, "number of its samples")
      ->check(CLI::PositiveNumber);
  app.add_flag("--paired-ar", options->paired_ar, "paired approximate randomisation against the first system")
      ->excludes(paired_bs);
  app.add_option("--paired-ar-n", options->randomization_trials, "number of its trials")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options->seed, "seed of the samples");

  app.add_flag("--json", options->json,
               "print a list of objects, one per system and metric, with all digits");
  app.add_option("-w,--width", options->width, "digits after the decimal point")->check(CLI::Range(0, 16));
  app.add_flag("-b,--score-only", options->score_only, "print only the score");
  app.footer(
      "Examples:\n"
      "  attune evaluate out.de -r ref.de -m bleu chrf++ ter\n"
      "  attune translate -m MODEL < src.zh | attune evaluate -r ref.zh --tokenize zh\n"
      "  attune evaluate base.de new.de -r refA.de refB.de --paired-bs\n"
      "  attune evaluate out.align -r gold.align -m aer");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"evaluate", "BLEU, chrF, TER and other scores of hypotheses", set_up}};

}  // namespace
}  // namespace attune::cli
