#include "decode/scorer.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "attune/error.h"
#include "decode/length_batches.h"
#include "decode/search/search_fixture.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

using testing::Ids;
using testing::RandomModel;

constexpr int64_t kWords = 11;

Vocabularies vocabularies() {
  std::vector<ListedToken> tokens;
  for (int i = 3; i < kWords; ++i) tokens.push_back({fmt::format("w{}", i), 1, false});
  const auto both = std::make_shared<ListedVocabulary>(VocabularyKind::word, tokens);
  return {both, both};
}

Scorer scorer_of(std::vector<WeightedModel> models, const ModelFacts& facts) {
  return {std::make_shared<const TextModel>(std::move(models), facts), 7};
}

TEST(Scorer, scores_are_the_log_probabilities_of_each_word_after_those_before) {
  for (const std::string& type : testing::all_types()) {
    const RandomModel one(type, kWords, 1), two(type, kWords, 2);
    const auto& lm = testing::writing_types();
    const Task& task = std::ranges::find(lm, type) == lm.end() ? translate_task() : write_task();
    const Ensemble ensemble({{&one.writer(), 0.75}, {&two.writer(), 0.25}});
    const Scorer scorer = scorer_of({{one.model.get(), 0.75}, {two.model.get(), 0.25}},
                                    {.task = task, .vocabularies = vocabularies()});
    const std::vector<std::vector<std::string>> rows{
        {"w4 w5 w6", "w7 w8"}, {"w3", ""}, {"", ""}, {"w9 w10", "w3 w4 w5 w6"}};
    std::vector<LineToScore> lines;
    for (size_t i = 0; i < rows.size(); ++i) lines.push_back(scorer.line(static_cast<int64_t>(i), rows[i]));
    const auto scores = scorer.score(lines);
    EXPECT_TRUE(scores[2].empty());
    for (size_t i = 0; i < rows.size(); ++i) {
      Ids source = vocabularies().source->encode(rows[i][0]),
          target = vocabularies().target->encode(rows[i][1]);
      if (source.empty()) continue;
      if (task.translates()) source.push_back(2);
      target.push_back(2);
      ASSERT_EQ(lines[i].tokens, target);
      for (size_t t = 0; t < target.size(); ++t) {
        const Ids before(target.begin(), target.begin() + static_cast<std::ptrdiff_t>(t));
        const auto said = testing::next_word(ensemble, source, before, {}, -1);
        EXPECT_NEAR(scores[i][t], said.log_p[static_cast<size_t>(target[t])], 1e-9) << type;
      }
    }
  }
}

// A model that learned from one column: log p of each word of the second after <s> and all words before.
TEST(Scorer, a_prompt_is_the_beginning_of_the_text_of_a_model_that_does_not_answer) {
  for (const std::string& type : testing::writing_types()) {
    const RandomModel model(type, kWords, 1);
    const Scorer scorer = scorer_of({{model.model.get()}},
                                    {.task = write_task(), .vocabularies = vocabularies(), .answers = false});
    const std::vector<std::vector<std::string>> rows{{"w4 w5", "w7 w8"}, {"", "w9"}, {"w3", ""}};
    std::vector<LineToScore> lines;
    for (size_t i = 0; i < rows.size(); ++i) lines.push_back(scorer.line(static_cast<int64_t>(i), rows[i]));
    const auto scores = scorer.score(lines);
    for (size_t i = 0; i < rows.size(); ++i) {
      Ids text = vocabularies().target->encode(rows[i][0]),
          target = vocabularies().target->encode(rows[i][1]);
      target.push_back(2);
      ASSERT_EQ(lines[i].tokens, target);
      ASSERT_EQ(scores[i].size(), target.size());
      for (size_t t = 0; t < target.size(); ++t) {
        const auto said = testing::next_word(Ensemble(model.writer()), {}, text, {}, -1);
        EXPECT_NEAR(scores[i][t], said.log_p[static_cast<size_t>(target[t])], 1e-9) << type;
        text.push_back(target[t]);
      }
    }
  }
}

TEST(Scorer, what_the_models_cannot_take_is_refused_with_its_line) {
  const RandomModel model(testing::attending_types()[0], kWords, 1);
  const Scorer scorer = scorer_of({{model.model.get()}},
                                  {.task = translate_task(), .vocabularies = vocabularies(), .longest = 3});
  const std::vector<std::string> no_source{"", "w3"}, too_long{"w3 w4 w5", "w3"}, fits{"w3 w4", "w3 w4"};
  EXPECT_THROW(scorer.line(4, no_source), UsageError);
  try {
    scorer.line(4, too_long);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "line 5: it has 4 tokens, but the model reads at most 3");
  }
  EXPECT_EQ(scorer.line(4, fits).tokens.size(), 3);
}

TEST(LengthBatches, hold_sentences_of_like_length_within_the_budget) {
  const std::vector<int64_t> lengths{3, 0, 9, 1, 3, 2};
  const auto batches = length_batches(lengths, 6);
  EXPECT_EQ(batches, (std::vector<std::vector<size_t>>{{3, 5, 0}, {4}, {2}}));
  EXPECT_EQ(length_batches(lengths, 6, 2), (std::vector<std::vector<size_t>>{{3, 5}, {0, 4}, {2}}));
}

}  // namespace
}  // namespace attune
