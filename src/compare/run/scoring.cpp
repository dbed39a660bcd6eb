#include "compare/run/scoring.h"

#include <fmt/core.h>

#include "compare/spread.h"
#include "compare/text_units.h"
#include "metrics/make_metric.h"
#include "metrics/significance.h"

namespace attune::compare {
namespace {

using metrics::Metric;
using metrics::Statistics;

constexpr int64_t kSamples = 1000;  // of the bootstrap

std::vector<std::unique_ptr<Metric>> make_metrics(const Recipe& recipe) {
  metrics::MetricOptions options;
  options.bleu.tokenize = recipe.tokenize;
  std::vector<std::unique_ptr<Metric>> all;
  for (const std::string& name : recipe.metrics)
    for (auto& metric : metrics::make_metrics(name, options)) all.push_back(std::move(metric));
  return all;
}

std::vector<int64_t> source_lengths(const Recipe& recipe, const TestSet& test) {
  std::vector<int64_t> lengths;
  const TextUnit unit = recipe.length_unit == "word" ? TextUnit::word : TextUnit::character;
  for (const std::string& source : test.sources) lengths.push_back(count_units(source, unit));
  return lengths;
}

// Without trailing white space, as evaluate reads them.
metrics::Sentences plain(const metrics::Sentences& lines) {
  metrics::Sentences stripped;
  for (const std::string& line : lines) {
    const size_t end = line.find_last_not_of(" \t\r");
    stripped.push_back(end == std::string::npos ? "" : line.substr(0, end + 1));
  }
  return stripped;
}

using Runs = std::vector<std::vector<Statistics>>;  // [run][sentence]

std::vector<double> values_of(const Metric& metric, const Runs& runs) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(metric.value(metrics::sum(run)));
  return values;
}

Score score_of(const Metric& metric, const Runs& runs, const Runs& before) {
  const Spread spread = spread_of(values_of(metric, runs));
  const metrics::Interval interval =
      metrics::bootstrap_interval_of_runs(metric, runs, kSamples, metrics::kSacrebleuSeed);
  Score score{.value = spread.mean,
              .low = interval.mean - interval.half_width,
              .high = interval.mean + interval.half_width,
              .deviation = spread.deviation};
  const bool same = !before.empty() && spread_of(values_of(metric, before)).mean == score.value;
  if (!before.empty() && !same)  // the bootstrap would call no difference at all significant
    score.p_value =
        metrics::paired_bootstrap_of_runs(metric, before, runs, kSamples, metrics::kSacrebleuSeed).p_value;
  return score;
}

// The mean over the runs of the score of these sentences.
double score_of_group(const Metric& metric, const Runs& runs, const Lengths& group) {
  std::vector<double> values;
  for (const auto& run : runs) {
    std::vector<Statistics> own;
    for (const size_t i : group.sentences) own.push_back(run[i]);
    values.push_back(metric.value(metrics::sum(own)));
  }
  return spread_of(values).mean;
}

void score_test(const std::vector<std::unique_ptr<Metric>>& all, const TestSet& test,
                const std::vector<Lengths>& groups, size_t number, Results& results) {
  metrics::References references;
  for (const auto& lines : test.reference_lines) references.push_back(plain(lines));
  for (size_t m = 0; m < all.size(); ++m) {
    Runs before;
    for (ModelResult& model : results.models) {
      TestResult& result = model.tests[number];
      Runs runs;
      for (const RunResult& run : model.runs)
        runs.push_back(
            metrics::sentence_statistics(*all[m], plain(run.decodings[number].outputs), references));
      result.scores.push_back(score_of(*all[m], runs, before));
      if (m == 0)
        for (const Lengths& group : groups) result.by_length.push_back(score_of_group(*all[m], runs, group));
      before = std::move(runs);
    }
  }
}

}  // namespace

std::vector<Lengths> length_groups(const Recipe& recipe, const TestSet& test) {
  std::vector<int64_t> bounds;
  for (const std::string& bound : recipe.lengths) bounds.push_back(std::stoll(bound));
  return group_by_length(source_lengths(recipe, test), bounds);
}

void score(const Recipe& recipe, Results& results) {
  const auto all = make_metrics(recipe);
  const TestSet& first = recipe.tests[0];
  for (const auto& metric : all)
    results.metrics.push_back(
        {metric->name() == "exact" ? "Exact match %" : metric->name(),
         metrics::to_string(metrics::full_signature(
             first.references.size(), {"bs", kSamples, metrics::kSacrebleuSeed}, metric->options())),
         metric->higher_is_better()});
  for (size_t t = 0; t < recipe.tests.size(); ++t) {
    const TestSet& test = recipe.tests[t];
    const std::vector<Lengths> groups = length_groups(recipe, test);
    TestInfo info{test.name, static_cast<int64_t>(test.sources.size()), {}};
    for (const Lengths& group : groups)
      info.groups.push_back({group.label(), static_cast<int64_t>(group.sentences.size())});
    results.tests.push_back(std::move(info));
    for (ModelResult& model : results.models) model.tests.emplace_back();
    score_test(all, test, groups, t, results);
  }
  for (const size_t line :
       spread_over_lengths(source_lengths(recipe, first), static_cast<size_t>(recipe.samples)))
    results.samples.push_back(
        {first.sources[line], first.reference_lines[0][line], static_cast<int64_t>(line)});
}

}  // namespace attune::compare
