// Metrics of tags, of answers and of numbers.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "metrics/make_metric.h"
#include "testing/golden.h"
#include "testing/op_check.h"

namespace attune::metrics {
namespace {

Score scored(const std::string& metric, const Sentences& hypotheses, const References& references) {
  return corpus_score(*make_metrics(metric).front(), hypotheses, references);
}

TEST(EntityF1, an_entity_is_right_if_its_ends_and_its_type_are) {
  const Score score =
      scored("entity_f1", {"B-PER I-PER O B-LOC", "O B-ORG I-ORG"}, {{"B-PER I-PER O B-ORG", "O B-ORG O"}});
  EXPECT_NEAR(score.value, 100. / 3, 1e-9);  // 1 of 3 found, 1 of 3 expected
  EXPECT_EQ(score.verbose, "precision 33.33 recall 33.33 accuracy 71.43");
}

// By conlleval's rules for the ends of entities.
TEST(EntityF1, every_scheme_of_tags) {
  const auto same = [](const std::string& a, const std::string& b) {
    return scored("entity_f1", {a}, {{b}}).value;
  };
  EXPECT_EQ(same("I-PER I-PER O", "B-PER I-PER O"), 100);              // IOB
  EXPECT_EQ(same("I-PER B-PER O", "B-PER B-PER O"), 100);              // IOB: B only between neighbours
  EXPECT_EQ(same("I-PER E-PER E-LOC O", "B-PER I-PER B-LOC O"), 100);  // IOE
  EXPECT_EQ(same("B-PER E-PER S-LOC S-LOC", "B-PER I-PER B-LOC B-LOC"), 100);
  EXPECT_EQ(same("B-PER L-PER U-LOC O", "B-PER I-PER B-LOC O"), 100);
  EXPECT_EQ(same("I-PER I-LOC", "B-PER B-LOC"), 100);
  EXPECT_EQ(same("O O", "O O"), 0);  // there is nothing to find
  EXPECT_NEAR(same("B-人 I-人 O B-地", "B-人 I-人 I-人 B-地"), 50, 1e-9);
  EXPECT_EQ(same("名词 O 动词", "名词 O 动词"), 100);
}

TEST(EntityF1, as_many_tags_as_in_the_reference) {
  attune::testing::expect_error([] { scored("entity_f1", {"O O"}, {{"O"}}); },
                                "there are 2 tags, but 1 in the reference");
}

TEST(LabelAccuracy, counts_labels_that_are_known) {
  EXPECT_DOUBLE_EQ(scored("accuracy", {"名词 a b", "c", "d e"}, {{"名词 a _", "x", "_ _"}}).value,
                   100 * 2 / 3.);
  EXPECT_EQ(scored("accuracy", {"a"}, {{"_"}}).value, 0);  // nothing is known
  attune::testing::expect_error([] { scored("accuracy", {"a b"}, {{"a"}}); },
                                "there are 2 labels, but 1 in the reference");
}

// From the definition in SQuAD's evaluation: small letters, no punctuation, no articles.
TEST(AnswerMatch, as_squad_counts) {
  const Sentences answers{"The Denver Broncos.", "in 1066", "", "San José"};
  const References references{{"denver broncos", "1066", "", "san jose"},
                              {"Broncos", "in the year 1066", "", "San José!"}};
  EXPECT_DOUBLE_EQ(scored("answer_exact", answers, references).value, 75);
  EXPECT_NEAR(scored("answer_f1", answers, references).value, 100 * (1 + 0.8 + 1 + 1) / 4, 1e-9);
  EXPECT_NEAR(scored("answer_f1", {"a b b c"}, {{"b c c d"}}).value, 100 * 2 * 2. / 7,
              1e-9);  // "a" is an article
  EXPECT_EQ(scored("answer_f1", {"the"}, {{"x"}}).value, 0);
}

nlohmann::json public_examples() {
  std::ifstream file(testing::golden("answers.json"));
  return nlohmann::json::parse(file);
}

// The example that comes with conlleval (CoNLL-2000, 961 tokens), and what conlleval says of it.
TEST(EntityF1, of_conllevals_example) {
  const nlohmann::json example = public_examples()["conlleval"];
  const Score score = scored("entity_f1", example["guessed"], {example["right"]});
  EXPECT_NEAR(score.value, example["f1"], 0.005);
  EXPECT_EQ(score.verbose, "precision 68.83 recall 80.83 accuracy 84.08");
  Statistics all(5);
  for (size_t i = 0; i < example["right"].size(); ++i) {
    const std::string right = example["right"][i], guessed = example["guessed"][i];
    const Statistics one = make_metrics("entity_f1").front()->statistics(guessed, {&right, 1});
    for (size_t k = 0; k < one.size(); ++k) all[k] += one[k];
  }
  EXPECT_EQ(all, (Statistics{example["correct"], example["found"], example["expected"], 808, 961}));
}

// Examples of public descriptions of the metric and harder ones, with what SQuAD's evaluation (v1.1) gives.
TEST(AnswerMatch, of_squads_own_evaluation) {
  const auto examples = public_examples();
  for (const auto& one : examples["squad"]) {
    References references;
    for (const auto& reference : one["references"]) references.push_back({reference.get<std::string>()});
    const Sentences answer{one["answer"].get<std::string>()};
    EXPECT_NEAR(scored("answer_exact", answer, references).value, 100 * one["exact"].get<double>(), 1e-9)
        << one;
    EXPECT_NEAR(scored("answer_f1", answer, references).value, 100 * one["f1"].get<double>(), 1e-9) << one;
  }
}

TEST(NumberErrors, mean_over_all_numbers) {
  EXPECT_DOUBLE_EQ(scored("mse", {"1\t2", "", "3, -4e0"}, {{"1 4", "", "0\t-4"}}).value, (4 + 9) / 4.);
  EXPECT_DOUBLE_EQ(scored("mae", {"1\t2", "", "3, -4e0"}, {{"1 4", "", "0\t-4"}}).value, (2 + 3) / 4.);
  EXPECT_FALSE(make_metrics("mse").front()->higher_is_better());
  attune::testing::expect_error([] { scored("mse", {"1 二"}, {{"1 2"}}); }, "'二' is not a number");
  attune::testing::expect_error([] { scored("mae", {"1"}, {{"1 2"}}); },
                                "there are 1 numbers, but 2 in the reference");
}

}  // namespace
}  // namespace attune::metrics
