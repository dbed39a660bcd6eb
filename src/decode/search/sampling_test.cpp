#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "decode/search/search_fixture.h"

namespace attune {
namespace {

using testing::Ids;
using testing::RandomModel;

const Ids kSource{3, 4, 5, 2};

struct Sampling : ::testing::Test {
  RandomModel model{testing::all_types()[0], 8, 3};
  Ensemble models{model.writer()};
  SearchOptions options{.max_length = 1, .sampling = true};

  std::vector<Hypothesis> run() const { return search(models, {ragged({kSource})}, {}, options)[0]; }
  // For the same sentence 4000 times.
  std::vector<std::vector<Hypothesis>> run_often() const {
    return search(models, {ragged(std::vector<Ids>(4000, kSource))}, {}, options);
  }
  // How often each word came first.
  std::vector<double> shares() const {
    std::vector<double> counts(8);
    for (const auto& found : run_often())
      counts[static_cast<size_t>(found[0].ended ? 2 : found[0].words[0])] += 1. / 4000;
    return counts;
  }
  // softmax(log p / temperature)
  std::vector<double> probabilities(double temperature) const {
    std::vector<double> p = testing::next_word(models, kSource, {}, {}, -1).log_p;
    double sum = 0;
    for (double& x : p) sum += x = std::exp(x / temperature);
    for (double& x : p) x /= sum;
    return p;
  }
  // Four standard deviations of a share of 4000 draws, and a little.
  static void expect_near(const std::vector<double>& shares, const std::vector<double>& p) {
    for (size_t i = 0; i < p.size(); ++i)
      EXPECT_NEAR(shares[i], p[i], 4 * std::sqrt(p[i] * (1 - p[i]) / 4000) + 1e-6) << "word " << i;
  }
};

TEST_F(Sampling, words_come_as_often_as_they_are_likely) { expect_near(shares(), probabilities(1)); }

TEST_F(Sampling, a_temperature_sharpens_or_flattens) {
  for (const double temperature : {0.5, 2.0}) {
    options.temperature = temperature;
    expect_near(shares(), probabilities(temperature));
  }
}

TEST_F(Sampling, top_k_leaves_the_likeliest_words_in_their_proportions) {
  options.top_k = 3;
  std::vector<double> p = probabilities(1), sorted = p;
  std::ranges::sort(sorted, std::greater<>());
  for (double& x : p) x = x >= sorted[2] ? x / (sorted[0] + sorted[1] + sorted[2]) : 0;
  expect_near(shares(), p);
}

TEST_F(Sampling, top_p_leaves_the_fewest_words_that_reach_it) {
  std::vector<double> p = probabilities(1), sorted = p;
  std::ranges::sort(sorted, std::greater<>());
  options.top_p = sorted[0] + sorted[1] / 2;  // two words
  for (double& x : p) x = x >= sorted[1] ? x / (sorted[0] + sorted[1]) : 0;
  expect_near(shares(), p);
  options.top_p = 1e-9;
  EXPECT_NEAR(std::ranges::max(shares()), 1, 1e-9);
}

TEST_F(Sampling, suppressed_words_are_not_drawn) {
  options.n_best = 300;
  options.max_length = 6;
  const auto found = search(models, {ragged({kSource})}, {.suppressed = {0, 4}}, options);
  for (const Hypothesis& h : found[0])
    for (const int32_t word : h.words) EXPECT_TRUE(word != 0 && word != 4);
}

TEST_F(Sampling, scores_are_those_of_the_model_whatever_the_temperature) {
  options.n_best = 5;
  options.max_length = 6;
  options.temperature = 1.7;
  options.top_k = 6;
  for (const Hypothesis& h : run()) {
    Ids written;
    double sum = 0;
    for (size_t i = 0; i < h.word_scores.size(); ++i) {
      const int32_t word = i < h.words.size() ? h.words[i] : 2;
      const auto said = testing::next_word(models, kSource, written, {}, -1);
      EXPECT_NEAR(h.word_scores[i], said.log_p[static_cast<size_t>(word)], 1e-12);
      sum += h.word_scores[i];
      written.push_back(word);
    }
    EXPECT_EQ(h.score, sum);
  }
}

TEST_F(Sampling, the_likeliest_word_alone_is_greedy_search) {
  options.max_length = 9;
  options.top_k = 1;
  const SearchOptions greedy{.beam_size = 1, .max_length = 9};
  const auto expected = search(models, {ragged({kSource})}, {}, greedy)[0];
  for (const int64_t n_best : {1, 3}) {  // there is no other output
    options.n_best = n_best;
    testing::expect_same(run(), expected, 0, "");
  }
}

TEST_F(Sampling, several_outputs_are_different) {
  options.n_best = 50;
  options.max_length = 3;
  std::set<Ids> different;
  for (const Hypothesis& h : run()) {
    Ids written = h.words;
    if (h.ended) written.push_back(2);
    different.insert(written);
  }
  EXPECT_EQ(different.size(), 50U);
}

TEST_F(Sampling, as_many_as_there_are_if_more_are_wanted) {
  options.n_best = 100;
  options.max_length = 2;  // </s>; 7 words, each before one of 8
  EXPECT_EQ(run().size(), 57U);
}

// The chance to be among two that are drawn one after the other from all outputs y, without replacement:
//   p(y) + sum_z p(z) p(y) / (1 - p(z)),  z != y
TEST_F(Sampling, several_outputs_are_drawn_as_if_one_after_the_other) {
  options.max_length = 2;
  options.n_best = 2;
  for (const double temperature : {1.0, 0.6}) {
    options.temperature = temperature;
    const auto chances = [&](const Ids& before) {
      std::vector<double> p = testing::next_word(models, kSource, before, {}, -1).log_p;
      double sum = 0;
      for (double& x : p) sum += x = std::exp(x / temperature);
      for (double& x : p) x /= sum;
      return p;
    };
    std::map<Ids, double> outputs, shares;
    const std::vector<double> first = chances({});
    for (int32_t a = 0; a < 8; ++a) {
      if (a == 2) outputs[{2}] = first[2];
      const std::vector<double> second = a == 2 ? std::vector<double>() : chances({a});
      for (int32_t b = 0; b < std::ssize(second); ++b)
        outputs[{a, b}] = first[static_cast<size_t>(a)] * second[static_cast<size_t>(b)];
    }
    for (const auto& found : run_often())
      for (const Hypothesis& h : found) {
        Ids written = h.words;
        if (h.ended) written.push_back(2);
        shares[written] += 1. / 4000;
      }
    for (const auto& [y, p] : outputs) {  // one draw more or less is no surprise where they are rare
      double chance = p;
      for (const auto& [z, q] : outputs)
        if (z != y) chance += q * p / (1 - q);
      EXPECT_NEAR(shares[y], chance, 4 * std::sqrt(chance * (1 - chance) / 4000) + 1.01 / 4000);
    }
  }
}

TEST_F(Sampling, several_outputs_do_not_depend_on_other_sentences) {
  options.n_best = 5;
  options.max_length = 6;
  const Ids other{6, 3, 2};
  const auto together =
      search(models, {.source = ragged({other, kSource, other}), .numbers = {7, 0, 9}}, {}, options);
  testing::expect_same(together[1], run(), 1e-6, "");
}

TEST_F(Sampling, a_seed_repeats_and_another_differs) {
  options.n_best = 20;
  options.max_length = 6;
  const auto first = run();
  testing::expect_same(run(), first, 0, "");
  options.seed = 2;
  const auto second = run();
  EXPECT_FALSE(std::ranges::equal(first, second, {}, &Hypothesis::words, &Hypothesis::words));
}

TEST_F(Sampling, sentences_with_other_numbers_draw_other_words) {
  options.n_best = 1;
  options.max_length = 8;
  const auto all = search(models, {ragged({kSource, kSource, kSource})}, {}, options);
  EXPECT_FALSE(all[0][0].words == all[1][0].words && all[1][0].words == all[2][0].words);
}

}  // namespace
}  // namespace attune
