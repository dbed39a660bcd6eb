// The calls that search makes to a model, and its results for given probabilities.
#include <gtest/gtest.h>

#include <cmath>

#include "attune/error.h"
#include "decode/search/search_fixture.h"

namespace attune {
namespace {

using testing::Ids;

// p(word | the word before), and what was asked: <s> is 1, </s> is 2.
class GivenModel final : public Writer {
 public:
  explicit GivenModel(const std::vector<std::vector<double>>& p)
      : p_(p), words_(static_cast<int64_t>(p.size())), one_(Tensor::zeros({words_, words_}, DType::f64)) {
    for (int64_t i = 0; i < words_; ++i) one_.row<double>(i)[static_cast<size_t>(i)] = 1;
  }

  std::unique_ptr<DecoderState> start(const Ragged&, Pass&) const override {
    return std::make_unique<State>(selections);
  }
  Tensor step(const Ragged& tokens, DecoderState&, Pass&) const override {
    hypotheses.push_back(tokens.rows.count());
    Tensor logits({tokens.ids.size(), words_}, DType::f64);
    for (int64_t i = 0; i < tokens.ids.size(); ++i)
      for (size_t w = 0; w < p_.size(); ++w)
        logits.row<double>(i)[w] =
            std::log(p_[static_cast<size_t>(tokens.ids.data<int32_t>()[i])][w] + 1e-30);
    return logits;
  }
  const Tensor& output_weight() const override { return one_; }
  const Tensor& output_bias() const override { return none_; }

  mutable std::vector<int64_t> hypotheses;  // of each step
  mutable std::vector<Ids> selections;

 private:
  struct State final : DecoderState {
    explicit State(std::vector<Ids>& list) : selections(list) {}
    std::unique_ptr<DecoderState> select(std::span<const int64_t> chosen) const override {
      selections.emplace_back(chosen.begin(), chosen.end());
      return std::make_unique<State>(selections);
    }
    std::vector<Ids>& selections;
  };

  std::vector<std::vector<double>> p_;
  int64_t words_;
  Tensor one_, none_;
};

std::vector<std::vector<Hypothesis>> run(const GivenModel& model, const std::vector<Ids>& prefixes,
                                         const SearchOptions& options) {
  return search(Ensemble(model), {ragged(std::vector<Ids>(prefixes.size(), {3})), prefixes}, {}, options);
}

// 3 -> 4 -> 5 -> </s>, likely.
const std::vector<std::vector<double>> kChain{
    {0.2, 0.2, 0.2, 0.2, 0.1, 0.1},   {0.1, 0, 0.1, 0.6, 0.1, 0.1}, {0.2, 0.2, 0.2, 0.2, 0.1, 0.1},
    {0.05, 0.05, 0.1, 0.1, 0.6, 0.1}, {0, 0.1, 0.1, 0.1, 0, 0.7},   {0, 0, 0.8, 0.1, 0.1, 0}};

TEST(Steps, a_sentence_that_ended_leaves_the_batch_at_once) {
  const GivenModel model(kChain);
  const auto found = run(model, {{}, {3, 4}, {3}}, {.beam_size = 1, .max_length_factor = 0});
  EXPECT_EQ(model.hypotheses, (std::vector<int64_t>{3, 3, 2, 1}));
  EXPECT_EQ(model.selections, (std::vector<Ids>{{0, 2}, {0}}));
  for (const auto& outputs : found) {
    EXPECT_EQ(outputs[0].words, (Ids{3, 4, 5}));
    EXPECT_TRUE(outputs[0].ended);
    EXPECT_NEAR(outputs[0].score, std::log(0.6 * 0.6 * 0.7 * 0.8), 1e-12);
  }
}

TEST(Steps, greedy_search_stops_at_the_maximum_length) {
  const GivenModel model(kChain);
  const auto found = run(model, {{}}, {.beam_size = 1, .max_length = 2});
  EXPECT_EQ(found[0][0].words, (Ids{3, 4}));
  EXPECT_FALSE(found[0][0].ended);
  EXPECT_EQ(model.hypotheses.size(), 2);
  const auto exact = run(model, {{}}, {.beam_size = 1, .max_length = 4, .max_length_factor = 0});
  EXPECT_TRUE(exact[0][0].ended);  // </s> counts
}

TEST(Steps, a_beam_ends_as_soon_as_nothing_can_change_the_result) {
  const GivenModel model(kChain);
  // Without length penalty: after 3 4 5 </s> with p = 0.2016 no other hypothesis has as much.
  run(model, {{}}, {.beam_size = 6, .normalize = 0, .max_length = 50, .max_length_factor = 0});
  EXPECT_EQ(model.hypotheses.size(), 4);
}

// Computed by hand. First step: 3 (0.5), </s> (0.3), 4 (0.2). The beam of two keeps 3 and </s>, which holds
// its place; after 3 the best is 4 (0.5 0.9), then </s> (0.45 1).
TEST(Steps, short_and_long_outputs_compete_by_normalised_score) {
  const GivenModel model(
      {{1, 0, 0, 0, 0}, {0, 0, 0.3, 0.5, 0.2}, {1, 0, 0, 0, 0}, {0, 0, 0.1, 0, 0.9}, {0, 0, 1, 0, 0}});
  SearchOptions options{.beam_size = 2, .normalize = 0, .n_best = 2, .max_length_factor = 0};
  const double long_one = std::log(0.45), short_one = std::log(0.3);
  auto found = run(model, {{}}, options)[0];
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].words, (Ids{3, 4}));
  EXPECT_NEAR(found[0].normalised, long_one, 1e-12);
  EXPECT_EQ(found[1].words, Ids());
  EXPECT_NEAR(found[1].normalised, short_one, 1e-12);

  options.normalize = -1;  // longer is worse: times the length
  found = run(model, {{}}, options)[0];
  EXPECT_EQ(found[0].words, Ids());
  EXPECT_NEAR(found[1].normalised, 3 * long_one, 1e-12);

  options.normalize = 0.5;
  EXPECT_NEAR(run(model, {{}}, options)[0][0].normalised, long_one / std::sqrt(3), 1e-12);
  options.length_penalty = LengthPenalty::google;
  EXPECT_NEAR(run(model, {{}}, options)[0][0].normalised, long_one / std::sqrt(8. / 6), 1e-12);
}

// 4, 5, </s> follow 3 with certainty: log 0.2 / 4 is more than log 0.5 / 1, though log 0.2 / 2 is less.
TEST(Steps, an_output_that_becomes_better_by_its_length_is_waited_for) {
  const GivenModel model({{1, 0, 0, 0, 0, 0},
                          {0.15, 0, 0.5, 0.2, 0.15, 0},
                          {1, 0, 0, 0, 0, 0},
                          {0, 0, 0, 0, 1, 0},
                          {0, 0, 0, 0, 0, 1},
                          {0, 0, 1, 0, 0, 0}});
  SearchOptions options{.beam_size = 2, .normalize = 1, .max_length_factor = 0};
  EXPECT_EQ(run(model, {{}}, options)[0][0].words, (Ids{3, 4, 5}));
  options.length_penalty = LengthPenalty::google;
  EXPECT_EQ(run(model, {{}}, options)[0][0].words, Ids());  // log 0.2 / (9 / 6)
  options.normalize = 3;
  EXPECT_EQ(run(model, {{}}, options)[0][0].words, (Ids{3, 4, 5}));
}

// Where length makes it worse, the next word can still be the better end: 2 log 0.6 is more than log 0.3.
TEST(Steps, an_output_that_becomes_worse_by_its_length_is_waited_for) {
  const GivenModel model({{1, 0, 0, 0}, {0.1, 0, 0.3, 0.6}, {1, 0, 0, 0}, {0, 0, 1, 0}});
  EXPECT_EQ(run(model, {{}}, {.beam_size = 2, .normalize = -1, .max_length_factor = 0})[0][0].words, Ids{3});
}

TEST(Steps, of_equal_words_the_lower_id_is_chosen) {
  const GivenModel model({{0, 0, 1, 0, 0, 0},
                          {0.25, 0, 0, 0.25, 0.25, 0.25},
                          {1, 0, 0, 0, 0, 0},
                          {0, 0, 1, 0, 0, 0},
                          {0, 0, 1, 0, 0, 0},
                          {0, 0, 1, 0, 0, 0}});
  const auto found = run(model, {{}}, {.beam_size = 3, .n_best = 3})[0];
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(found[0].words, Ids{0});
  EXPECT_EQ(found[1].words, Ids{3});
  EXPECT_EQ(found[2].words, Ids{4});
}

// Words that were reported, each with the number of steps that the model had taken by then.
struct Told {
  Ids words;
  std::vector<size_t> steps;
  std::vector<Hypothesis> found;
};

Told follow(const GivenModel& model, const Ids& prefix, const SearchOptions& options, size_t most = 100) {
  Told told;
  const SearchWatch watch{.follow = [&](int32_t word) {
    told.words.push_back(word);
    told.steps.push_back(model.hypotheses.size());
    return told.words.size() < most;
  }};
  told.found = search(Ensemble(model), {ragged({{3}}), {prefix}}, {}, options, watch)[0];
  return told;
}

TEST(Steps, a_word_is_told_before_the_model_goes_on_from_it) {
  const SearchOptions options{.beam_size = 1, .max_length_factor = 0};
  const GivenModel model(kChain), prefixed(kChain), alone(kChain);
  const Told told = follow(model, {}, options);
  EXPECT_EQ(told.words, (Ids{3, 4, 5}));
  EXPECT_EQ(told.steps, (std::vector<size_t>{1, 2, 3}));
  testing::expect_same(told.found, run(alone, {{}}, options)[0], 0, "");

  const Told behind = follow(prefixed, {3, 4}, options);
  EXPECT_EQ(behind.words, (Ids{3, 4, 5})) << "the prefix comes first";
  EXPECT_EQ(behind.steps, (std::vector<size_t>{1, 1, 1}));
}

TEST(Steps, the_word_at_the_maximum_length_is_told_too) {
  const GivenModel model(kChain);
  const Told told = follow(model, {}, {.beam_size = 1, .max_length = 2});
  EXPECT_EQ(told.words, (Ids{3, 4}));
  EXPECT_EQ(told.found[0].words, told.words);
}

TEST(Steps, who_follows_can_end_an_output) {
  const GivenModel model(kChain);
  const Told told = follow(model, {}, {.beam_size = 1, .max_length_factor = 0}, 2);
  EXPECT_EQ(told.words, (Ids{3, 4}));
  EXPECT_EQ(model.hypotheses.size(), 2);
  ASSERT_EQ(told.found.size(), 1u);
  EXPECT_EQ(told.found[0].words, (Ids{3, 4}));
  EXPECT_FALSE(told.found[0].ended);
  EXPECT_NEAR(told.found[0].score, std::log(0.6 * 0.6), 1e-12);
  EXPECT_EQ(told.found[0].word_scores.size(), 2u);

  const GivenModel within(kChain);
  const Told prefix = follow(within, {3, 4}, {.beam_size = 1, .max_length_factor = 0}, 1);
  EXPECT_EQ(prefix.words, Ids{3});
  EXPECT_EQ(prefix.found[0].words, (Ids{3, 4})) << "a prefix is not cut";
}

TEST(Steps, one_sample_can_be_followed_but_neither_a_beam_nor_two_sentences) {
  const GivenModel model(kChain);
  const SearchOptions sample{.max_length_factor = 0, .sampling = true, .seed = 7};
  const Told told = follow(model, {}, sample);
  EXPECT_EQ(told.found[0].words, told.words);
  EXPECT_THROW(follow(model, {}, {.beam_size = 2}), UsageError);
  EXPECT_THROW(follow(model, {}, {.beam_size = 4, .n_best = 2, .sampling = true}), UsageError);
  const SearchWatch watch{.follow = [](int32_t) { return true; }};
  EXPECT_THROW(search(Ensemble(model), {ragged({{3}, {3}})}, {}, {.beam_size = 1}, watch), UsageError);
}

}  // namespace
}  // namespace attune
