#include <gtest/gtest.h>

#include <limits>

#include "attune/error.h"
#include "attune/patience.h"
#include "decode/search/search_fixture.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::Ids;
using testing::RandomModel;

struct SearchRefuses : ::testing::Test {
  RandomModel model{testing::all_types()[0], 8, 3};
  Ensemble models{model.writer()};

  void expect(const std::string& part, const SearchOptions& options, const SearchWords& words = {},
              const std::vector<Ids>& prefixes = {}, const std::vector<uint64_t>& numbers = {}) const {
    const SearchInput input{.source = ragged({{3, 2}, {4, 5, 2}}), .prefixes = prefixes, .numbers = numbers};
    EXPECT_THROW(search(models, input, words, options), UsageError);
    testing::expect_error([&] { search(models, input, words, options); }, part);
  }
};

TEST_F(SearchRefuses, options_that_make_no_sense) {
  expect("beam_size: must be positive, but is 0", {.beam_size = 0});
  expect("n_best: a beam of 4 cannot give 5 outputs", {.n_best = 5});
  expect("max_length: must be positive", {.max_length = 0});
  expect("max_length_factor: must not be negative", {.max_length_factor = -1});
  expect("normalize: must be a number", {.normalize = std::numeric_limits<double>::quiet_NaN()});
  expect("no_repeat_ngram: must not be negative", {.no_repeat_ngram = -1});
  expect("coverage_penalty: must not be negative", {.coverage_penalty = -0.1});
  expect("temperature: must be at least 0.001, but is 0", {.sampling = true, .temperature = 0});
  expect("top_k: must not be negative", {.sampling = true, .top_k = -1});
  expect("top_p: must be above 0 and at most 1", {.sampling = true, .top_p = 1.1});
}

TEST_F(SearchRefuses, to_go_on_once_nobody_waits_any_more) {
  const SearchInput input{.source = ragged({{3, 2}, {4, 5, 2}})};
  int steps = 0;
  const Patience patience([&] { return ++steps == 2; });
  EXPECT_THROW(search(models, input, {}, {}), GivenUp);
  EXPECT_EQ(steps, 2);
}

TEST_F(SearchRefuses, prefixes_that_do_not_fit) {
  expect("there are 1 prefixes, but 2 sentences", {}, {}, {{3}});
  expect("the prefix of sentence 2 has 4 words, which leaves no room in an output of at most 4",
         {.max_length = 4}, {}, {{}, {3, 4, 5, 6}});
  expect("the prefix of sentence 1 has 6 words, which leaves no room in an output of at most 6", {}, {},
         {{3, 4, 5, 6, 3, 4}, {}});
  expect("the prefix of sentence 1 has the id 8", {}, {}, {{3, 8}, {}});
  expect("the prefix of sentence 2 has the id 2", {}, {}, {{3}, {2}});
  expect("there are 3 numbers, but 2 sentences", {}, {}, {}, {1, 2, 3});
}

TEST_F(SearchRefuses, words_that_the_model_does_not_have) {
  expect("<s> and </s> have the ids 1 and 8, but the model has 8 words", {}, {.end = 8});
  expect("word 9 cannot be suppressed", {}, {.suppressed = {9}});
  expect("</s> cannot be suppressed", {}, {.suppressed = {2}});
}

TEST_F(SearchRefuses, attention_of_models_that_have_none) {
  const RandomModel gpt(testing::all_types().back(), 8, 3);
  testing::expect_error(
      [&] { search(Ensemble(gpt.writer()), {ragged({{3}})}, {}, {.coverage_penalty = 0.2}); },
      "need a model that attends to the source");
}

TEST_F(SearchRefuses, a_prompt_that_takes_all_positions) {
  const RandomModel gpt(testing::all_types().back(), 8, 3);
  testing::expect_error(
      [&] {
        search(Ensemble(gpt.writer()), {ragged({{3}, Ids(30, 3)})}, {}, {});
      },
      "sentence 2 has 30 words, which leaves the model no room to write");
}

TEST_F(SearchRefuses, models_that_do_not_fit_together) {
  const RandomModel other(testing::all_types()[0], 9, 3);
  testing::expect_error(
      [&] {
        Ensemble({{&model.writer()}, {&other.writer()}});
      },
      "the models have different target vocabularies, of 8 and 9 words");
  testing::expect_error([&] { Ensemble({{&model.writer(), -1}}); }, "weights must be positive");
  testing::expect_error([] { Ensemble(std::vector<Ensemble::Member>()); }, "give at least one model");
}

TEST_F(SearchRefuses, a_model_that_has_diverged) {
  model.parameters.values().data<double>()[0] = std::numeric_limits<double>::quiet_NaN();
  model.parameters.at("output.bias").fill(std::numeric_limits<double>::infinity());
  testing::expect_error([&] { search(models, {ragged({{3}})}, {}, {}); },
                        "the model's outputs are not finite numbers");
}

}  // namespace
}  // namespace attune
