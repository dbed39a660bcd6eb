#include "metrics/significance.h"

#include <gtest/gtest.h>

namespace attune::metrics {
namespace {

constexpr int64_t kSamples = 2000;

// The mean of one number per sentence.
class Mean final : public Metric {
 public:
  std::string name() const override { return "mean"; }
  Signature options() const override { return {}; }
  Statistics statistics(std::string_view, std::span<const std::string>) const override { return {}; }
  double value(const Statistics& totals) const override { return totals[0] / totals[1]; }
};

using RunList = std::vector<std::vector<Statistics>>;

// Runs in which all sentences have the same value, so that only the runs vary.
RunList runs_of(const std::vector<double>& values) {
  RunList runs;
  for (const double value : values) runs.emplace_back(10, Statistics{value, 1});
  return runs;
}

TEST(Significance, one_run_each_is_the_bootstrap_over_sentences) {
  const RunList a{{{1, 1}, {4, 1}, {2, 1}, {7, 1}, {3, 1}}}, b{{{2, 1}, {4, 1}, {5, 1}, {8, 1}, {3, 1}}};
  const Comparison one = paired_bootstrap(Mean(), a[0], b[0], kSamples, kSacrebleuSeed),
                   runs = paired_bootstrap_of_runs(Mean(), a, b, kSamples, kSacrebleuSeed);
  EXPECT_EQ(runs.p_value, one.p_value);
  EXPECT_EQ(runs.interval.value().mean, one.interval.value().mean);
  EXPECT_EQ(bootstrap_interval_of_runs(Mean(), a, kSamples, kSacrebleuSeed).half_width,
            bootstrap_interval(Mean(), a[0], kSamples, kSacrebleuSeed).half_width);
}

TEST(Significance, equal_runs_add_nothing) {
  const std::vector<Statistics> run{{1, 1}, {4, 1}, {2, 1}, {7, 1}, {3, 1}};
  const Interval one = bootstrap_interval(Mean(), run, kSamples, kSacrebleuSeed),
                 three = bootstrap_interval_of_runs(Mean(), RunList{run, run, run}, kSamples, kSacrebleuSeed);
  EXPECT_NEAR(three.mean, one.mean, 1e-12);
  EXPECT_NEAR(three.half_width, one.half_width, 1e-12);
}

// Two of {0, 100} are drawn: 0, 50 and 100 with probabilities 1/4, 1/2, 1/4.
TEST(Significance, intervals_are_as_wide_as_the_runs_are_apart) {
  const Interval interval = bootstrap_interval_of_runs(Mean(), runs_of({0, 100}), kSamples, kSacrebleuSeed);
  EXPECT_NEAR(interval.mean, 50, 2.5);
  EXPECT_EQ(interval.half_width, 50);
}

// The difference from 29 is 9, 1 or 11 with probabilities 1/4, 1/2, 1/4, and 5.5 on average; less 5.5, it is
// above the observed 1 in half of the samples.
TEST(Significance, a_difference_within_the_spread_of_the_runs_is_none) {
  const Comparison unsure =
      paired_bootstrap_of_runs(Mean(), runs_of({29}), runs_of({20, 40}), kSamples, kSacrebleuSeed);
  EXPECT_NEAR(unsure.p_value, 0.5, 0.04);
  const Comparison sure =
      paired_bootstrap_of_runs(Mean(), runs_of({29}), runs_of({60, 62}), kSamples, kSacrebleuSeed);
  EXPECT_NEAR(sure.p_value, 1.0 / (kSamples + 1), 1e-12);
}

// If the same draws served both systems, their difference would always be 0.
TEST(Significance, runs_of_the_two_systems_are_drawn_independently) {
  const Comparison equal =
      paired_bootstrap_of_runs(Mean(), runs_of({20, 40}), runs_of({20.5, 40.5}), kSamples, kSacrebleuSeed);
  EXPECT_GT(equal.p_value, 0.2);
}

}  // namespace
}  // namespace attune::metrics
