#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "metrics/numpy_random.h"

namespace attune::metrics {
namespace {

using All = std::span<const Statistics>;

void add(Statistics& totals, const Statistics& sentence) {
  for (size_t k = 0; k < totals.size(); ++k) totals[k] += sentence[k];
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The same seed draws the same sentences for all systems and metrics.
std::vector<double> bootstrap_scores(const Metric& metric, All system, int64_t samples, uint64_t seed) {
  check(samples > 0, "resampling needs at least one sample");
  NumpyRandom random(seed);
  std::vector<double> scores;
  for (int64_t i = 0; i < samples; ++i) {
    Statistics totals(system.front().size());
    for (size_t n = 0; n < system.size(); ++n)
      add(totals, system[random.below(static_cast<uint32_t>(system.size()))]);
    scores.push_back(metric.value(totals));
  }
  return scores;
}

// Means over runs that are drawn for each sample; `seed` draws the sentences, `run_seed` the runs.
std::vector<double> bootstrap_scores(const Metric& metric, Runs system, int64_t samples, uint64_t seed,
                                     uint64_t run_seed) {
  std::vector<std::vector<double>> of_runs;
  for (const auto& run : system) of_runs.push_back(bootstrap_scores(metric, run, samples, seed));
  if (system.size() == 1) return of_runs.front();
  NumpyRandom random(run_seed);
  std::vector<double> scores;
  for (size_t i = 0; i < static_cast<size_t>(samples); ++i) {
    std::vector<double> drawn;
    for (size_t n = 0; n < system.size(); ++n)
      drawn.push_back(of_runs[random.below(static_cast<uint32_t>(system.size()))][i]);
    scores.push_back(mean(drawn));
  }
  return scores;
}

double mean_value(const Metric& metric, Runs system) {
  std::vector<double> values;
  for (const auto& run : system) values.push_back(metric.value(sum(run)));
  return mean(values);
}

Interval interval_of(std::vector<double> scores) {
  std::ranges::sort(scores);
  const size_t cut = scores.size() / 40;  // 2.5% at each end
  return {mean(scores), (scores[scores.size() - cut - 1] - scores[cut]) / 2};
}

// 1 is added to both counts so that few samples do not give too small a p-value.
double p_value(const std::vector<double>& differences, double observed) {
  const auto above = std::ranges::count_if(differences, [&](double d) { return d > observed; });
  return static_cast<double>(above + 1) / static_cast<double>(differences.size() + 1);
}

void check_sizes(const Metric& metric, All baseline, All system) {
  check(baseline.size() == system.size(), "{}: the baseline has {} sentences, but the system has {}",
        metric.name(), baseline.size(), system.size());
}

Comparison compared(double observed, const std::vector<double>& baseline, const std::vector<double>& system) {
  std::vector<double> differences(system.size());
  std::ranges::transform(baseline, system, differences.begin(),
                         [](double x, double y) { return std::abs(x - y); });
  const double centre = mean(differences);
  for (double& difference : differences) difference -= centre;
  return {p_value(differences, observed), interval_of(system)};
}

double observed_difference(const Metric& metric, All baseline, All system) {
  check_sizes(metric, baseline, system);
  return std::abs(metric.value(sum(baseline)) - metric.value(sum(system)));
}

}  // namespace

Interval bootstrap_interval(const Metric& metric, All system, int64_t samples, uint64_t seed) {
  return interval_of(bootstrap_scores(metric, system, samples, seed));
}

Comparison paired_bootstrap(const Metric& metric, All baseline, All system, int64_t samples, uint64_t seed) {
  return compared(observed_difference(metric, baseline, system),
                  bootstrap_scores(metric, baseline, samples, seed),
                  bootstrap_scores(metric, system, samples, seed));
}

Interval bootstrap_interval_of_runs(const Metric& metric, Runs system, int64_t samples, uint64_t seed) {
  return interval_of(bootstrap_scores(metric, system, samples, seed, seed + 1));
}

Comparison paired_bootstrap_of_runs(const Metric& metric, Runs baseline, Runs system, int64_t samples,
                                    uint64_t seed) {
  for (const Runs runs : {baseline, system})
    for (const auto& run : runs) check_sizes(metric, baseline.front(), run);
  return compared(std::abs(mean_value(metric, baseline) - mean_value(metric, system)),
                  bootstrap_scores(metric, baseline, samples, seed, seed + 2),
                  bootstrap_scores(metric, system, samples, seed, seed + 1));
}

Comparison paired_randomization(const Metric& metric, All baseline, All system, int64_t trials,
                                uint64_t seed) {
  const double observed = observed_difference(metric, baseline, system);
  NumpyRandom random(seed);
  std::vector<double> differences;
  for (int64_t i = 0; i < trials; ++i) {
    Statistics a(baseline.front().size()), b(a.size());
    for (size_t n = 0; n < baseline.size(); ++n) {
      const bool swap = !random.coin();
      add(swap ? b : a, baseline[n]);
      add(swap ? a : b, system[n]);
    }
    differences.push_back(std::abs(metric.value(a) - metric.value(b)));
  }
  return {p_value(differences, observed), {}};
}

}  // namespace attune::metrics
