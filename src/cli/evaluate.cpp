// Scores of hypotheses against references, with sacreBLEU's options and signatures.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>

#include "attune/error.h"
#include "cli/evaluate_report.h"
#include "cli/verb.h"
#include "metrics/make.h"
#include "metrics/significance.h"
#include "metrics/unicode.h"

namespace attune::cli {
namespace {

using metrics::Metric;
using metrics::References;
using metrics::Sentences;
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

// The lines of a file, or of stdin for "-", without the white space at their ends.
Sentences read_lines(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) throw UsageError(fmt::format("evaluate: cannot read '{}'", path));
  }
  std::istream& in = path == "-" ? std::cin : file;
  Sentences lines;
  for (std::string line; std::getline(in, line);) {
    if (const size_t at = metrics::find_malformed(line); at != std::string::npos)
      throw UsageError(
          fmt::format("evaluate: {}, line {}: byte {} is not UTF-8", path, lines.size() + 1, at + 1));
    lines.emplace_back(metrics::strip_end(line));
  }
  if (lines.empty()) throw UsageError(fmt::format("evaluate: {} is empty", path == "-" ? "stdin" : path));
  return lines;
}

std::string count_of(const std::string& path, const Sentences& lines) {
  return fmt::format("{} has {} line{}", path, lines.size(), lines.size() == 1 ? "" : "s");
}

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
    throw UsageError("evaluate: a paired test compares systems: give the baseline's file and others");
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

// BLEU of text that is still tokenised is a mistake that only looks like a low or a high score.
void warn_of_tokenized(const Options& options, const std::string& path, const Sentences& lines) {
  const auto tokenized = std::ranges::count_if(lines, [](const auto& line) { return line.ends_with(" ."); });
  if (tokenized >= 100 && options.metric.bleu.tokenize != "none")
    fmt::print(
        stderr,
        "attune: {}: {} lines end in ' .': is the text still tokenised? Scores are comparable on raw text "
        "(--tokenize none says that it is meant so)\n",
        path, tokenized);
}

std::vector<Result> by_sentence(const Options& options, const std::vector<std::unique_ptr<Metric>>& all,
                                const Sentences& hypotheses, const References& references) {
  std::vector<Result> results;
  std::vector<std::vector<Statistics>> statistics;
  for (const auto& metric : all)
    statistics.push_back(metrics::sentence_statistics(*metric, hypotheses, references));
  for (size_t i = 0; i < hypotheses.size(); ++i)
    for (size_t m = 0; m < all.size(); ++m)
      results.push_back({.system = options.hypotheses.front(),
                         .line = i + 1,
                         .score = metrics::score(*all[m], statistics[m][i]),
                         .higher_is_better = all[m]->higher_is_better(),
                         .signature = metrics::full_signature(references.size(), {}, all[m]->options())});
  return results;
}

// One metric of all systems, the first of which is the baseline of paired tests.
std::vector<Result> by_system(const Options& options, const Metric& metric,
                              const std::vector<Sentences>& systems, const References& references) {
  metrics::Resampling resampling;
  if (options.paired_bs)
    resampling = {"bs", options.bootstrap_samples, options.seed};
  else if (options.paired_ar)
    resampling = {"ar", options.randomization_trials, options.seed};
  else if (options.confidence)
    resampling = {"bs", options.confidence_samples, options.seed};
  std::vector<Result> results;
  std::vector<Statistics> baseline;
  for (size_t s = 0; s < systems.size(); ++s) {
    const std::vector<Statistics> statistics = metrics::sentence_statistics(metric, systems[s], references);
    Result result{.system = options.hypotheses[s],
                  .score = metrics::score(metric, metrics::sum(statistics)),
                  .higher_is_better = metric.higher_is_better(),
                  .signature = metrics::full_signature(references.size(), resampling, metric.options())};
    if (s > 0 && (options.paired_bs || options.paired_ar)) {
      const auto test = options.paired_bs ? metrics::paired_bootstrap : metrics::paired_randomization;
      const metrics::Comparison comparison =
          test(metric, baseline, statistics, resampling.samples, resampling.seed);
      result.p_value = comparison.p_value;
      result.interval = comparison.interval;
    } else if (resampling.kind == "bs") {
      result.interval = metrics::bootstrap_interval(metric, statistics, resampling.samples, resampling.seed);
    }
    if (s == 0) baseline = statistics;
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<Result> evaluate(const Options& options) {
  check_options(options);
  const std::vector<std::unique_ptr<Metric>> all = make_metrics(options);
  std::vector<Sentences> systems;
  for (const std::string& path : options.hypotheses) systems.push_back(read_lines(path));
  References references;
  for (const std::string& path : options.references) references.push_back(read_lines(path));
  for (size_t s = 0; s < systems.size(); ++s) {
    for (size_t r = 0; r < references.size(); ++r)
      if (references[r].size() != systems[s].size())
        throw UsageError(fmt::format("evaluate: {} but {}: line i of both must belong together",
                                     count_of(options.hypotheses[s], systems[s]),
                                     count_of(options.references[r], references[r])));
    if (std::ranges::find(options.metrics, "bleu") != options.metrics.end())
      warn_of_tokenized(options, options.hypotheses[s], systems[s]);
  }
  if (options.sentence_level) return by_sentence(options, all, systems.front(), references);
  std::vector<std::vector<Result>> columns;
  for (const auto& metric : all) columns.push_back(by_system(options, *metric, systems, references));
  std::vector<Result> results;
  for (size_t s = 0; s < systems.size(); ++s)
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
  const std::vector<Result> results = evaluate(options);
  if (options.json) {
    fmt::print("{}", as_json(results));
  } else if (options.hypotheses.size() > 1) {
    fmt::print("{}", as_table(results, options.width));
    explain_test(options);
  } else if (options.sentence_level) {
    for (const Result& result : results)
      fmt::print("{}", as_lines({&result, 1}, options.width, options.score_only));
  } else {
    fmt::print("{}", as_lines(results, options.width, options.score_only));
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto& [bleu, chrf, ter] = options->metric;
  app.add_option("HYP", options->hypotheses, "files of hypotheses, one a system; - is stdin");
  app.add_option("-r,--references", options->references, "one or more files of references")
      ->required()
      ->default_str("");
  app.add_option("-m,--metrics", options->metrics, "of " + joined(metrics::metric_names()));
  app.add_flag("--sentence-level", options->sentence_level,
               "score every line for itself (BLEU: by effective order)");

  app.add_option("--tokenize", bleu.tokenize, "BLEU's tokeniser: " + joined(metrics::tokenizer_names()));
  app.add_flag("--lowercase", bleu.lowercase, "BLEU without regard to case");
  app.add_option("--smooth-method", options->smooth_method, "of BLEU: none, floor, add-k, exp");
  app.add_option("--smooth-value", bleu.smooth_value, "of floor (0.1) and add-k (1)");
  app.add_flag("--effective-order", bleu.effective_order, "BLEU without the orders that have no n-grams");
  app.add_option("--chrf-char-order", chrf.char_order, "longest character n-gram")->check(CLI::Range(1, 100));
  app.add_option("--chrf-word-order", chrf.word_order, "longest word n-gram; chrf++ has 2")
      ->check(CLI::Range(0, 100));
  app.add_option("--chrf-beta", chrf.beta, "weight of recall")->check(CLI::Range(1, 100));
  app.add_flag("--chrf-lowercase", chrf.lowercase, "chrF without regard to case");
  app.add_flag("--chrf-whitespace", chrf.whitespace, "white space is part of character n-grams");
  app.add_flag("--chrf-eps-smoothing", chrf.eps_smoothing,
               "mean of all orders' F scores, as NLTK and Moses have it");
  app.add_flag("--ter-case-sensitive", ter.case_sensitive, "TER with regard to case");
  app.add_flag("--ter-normalized", ter.normalized, "tokenise for TER");
  app.add_flag("--ter-no-punct", ter.no_punct, "TER without punctuation");
  app.add_flag("--ter-asian-support", ter.asian_support, "the two above for Asian characters too");

  app.add_flag("--confidence", options->confidence, "95% confidence intervals by the bootstrap");
  app.add_option("--confidence-n", options->confidence_samples, "its samples")->check(CLI::PositiveNumber);
  auto* paired_bs =
      app.add_flag("--paired-bs", options->paired_bs, "paired bootstrap against the first system");
  app.add_option("--paired-bs-n", options->bootstrap_samples, "its samples")->check(CLI::PositiveNumber);
  app.add_flag("--paired-ar", options->paired_ar, "paired approximate randomisation against the first system")
      ->excludes(paired_bs);
  app.add_option("--paired-ar-n", options->randomization_trials, "its trials")->check(CLI::PositiveNumber);
  app.add_option("--seed", options->seed, "of the samples");

  app.add_flag("--json", options->json, "a list of objects, one a system and metric, with all digits");
  app.add_option("-w,--width", options->width, "digits after the point")->check(CLI::Range(0, 16));
  app.add_flag("-b,--score-only", options->score_only, "the score alone");
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
