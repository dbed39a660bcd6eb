#include "compare/run/scoring.h"

#include <fmt/core.h>

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
  for (const std::string& source : test.sources) lengths.push_back(count_units(source, recipe.length_unit));
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

Score score_of(const Metric& metric, const std::vector<Statistics>& statistics,
               const std::vector<Statistics>& before) {
  Score score;
  score.value = metrics::score(metric, metrics::sum(statistics)).value;
  const metrics::Interval interval =
      metrics::bootstrap_interval(metric, statistics, kSamples, metrics::kSacrebleuSeed);
  score.low = interval.mean - interval.half_width;
  score.high = interval.mean + interval.half_width;
  const bool same = !before.empty() && metrics::score(metric, metrics::sum(before)).value == score.value;
  if (!before.empty() && !same)  // the bootstrap would call no difference at all significant
    score.p_value =
        metrics::paired_bootstrap(metric, before, statistics, kSamples, metrics::kSacrebleuSeed).p_value;
  return score;
}

void score_test(const std::vector<std::unique_ptr<Metric>>& all, const TestSet& test,
                const std::vector<Lengths>& groups, size_t number, Results& results) {
  metrics::References references;
  for (const auto& lines : test.reference_lines) references.push_back(plain(lines));
  for (size_t m = 0; m < all.size(); ++m) {
    std::vector<Statistics> before;
    for (ModelResult& model : results.models) {
      TestResult& result = model.tests[number];
      std::vector<Statistics> statistics =
          metrics::sentence_statistics(*all[m], plain(result.decoding.outputs), references);
      result.scores.push_back(score_of(*all[m], statistics, before));
      if (m == 0)
        for (const Lengths& group : groups) {
          std::vector<Statistics> own;
          for (const size_t i : group.sentences) own.push_back(statistics[i]);
          result.by_length.push_back(metrics::score(*all[m], metrics::sum(own)).value);
        }
      before = std::move(statistics);
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
    score_test(all, test, groups, t, results);
  }
  for (const size_t line :
       spread_over_lengths(source_lengths(recipe, first), static_cast<size_t>(recipe.samples)))
    results.samples.push_back(
        {first.sources[line], first.reference_lines[0][line], static_cast<int64_t>(line)});
}

}  // namespace attune::compare
