// Confidence in a score, and in the difference between two: resampling of the sentences of a test set, with
// sacreBLEU's samples and definitions. (sacreBLEU adds and divides in f32, attune in f64.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "metrics/metric.h"

namespace attune::metrics {

constexpr uint64_t kSacrebleuSeed = 12345;

struct Interval {
  double mean = 0;
  double half_width = 0;  // of the middle 95% of the scores
};

// The outputs of several trainings of one system with different seeds: [run][sentence].
using Runs = std::span<const std::vector<Statistics>>;

struct Comparison {
  double p_value = 1;  // probability of such a difference between two systems that are equally good
  std::optional<Interval> interval = {};  // of the system, not of the baseline
};

// Bootstrap (Koehn 2004): scores of test sets of the same size, drawn from the sentences with replacement.
Interval bootstrap_interval(const Metric& metric, std::span<const Statistics> system, int64_t samples,
                            uint64_t seed);

// How often the absolute difference on resampled test sets, minus its mean, is above the observed one.
Comparison paired_bootstrap(const Metric& metric, std::span<const Statistics> baseline,
                            std::span<const Statistics> system, int64_t samples, uint64_t seed);

// The same for the mean score of several runs. Each sample draws the runs of each system too, with
// replacement and independently of the other system's, so that it holds for other seeds as well as for other
// sentences (Multi-Bootstrap: Sellam et al. 2022, "The MultiBERTs"). With one run each, these are the
// functions above.
Interval bootstrap_interval_of_runs(const Metric& metric, Runs system, int64_t samples, uint64_t seed);
Comparison paired_bootstrap_of_runs(const Metric& metric, Runs baseline, Runs system, int64_t samples,
                                    uint64_t seed);

// Approximate randomisation (Riezler and Maxwell 2005): how often the absolute difference is above the
// observed one when the two systems' outputs are swapped for a random half of the sentences.
Comparison paired_randomization(const Metric& metric, std::span<const Statistics> baseline,
                                std::span<const Statistics> system, int64_t trials, uint64_t seed);

}  // namespace attune::metrics
