// Compared with NLTK's stems and with scores that tests/golden/rouge.py computes by trying all subsequences.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "metrics/make_metric.h"
#include "metrics/rouge/porter_stemmer.h"
#include "testing/golden.h"

namespace attune::metrics {
namespace {

using nlohmann::json;

const json& golden() {
  static const json values = json::parse(std::ifstream(testing::golden("rouge.json")));
  return values;
}

TEST(RougeGolden, stems_are_those_of_nltk) {
  ASSERT_GE(golden()["stems"].size(), 200U);
  for (const auto& [word, stem] : golden()["stems"].items()) EXPECT_EQ(porter_stem(word), stem) << word;
}

TEST(RougeGolden, scores_follow_from_the_definition) {
  size_t compared = 0;
  for (const json& entry : golden()["scores"])
    for (const auto& [name, f1] : entry["scores"].items()) {
      if (f1.is_null()) continue;  // several subsequences are longest
      const auto rouge = make_metrics(name, {.rouge = {.stemmer = entry["stem"].get<bool>()}});
      const Sentences reference{entry["reference"]};
      const Score score = sentence_score(*rouge.front(), entry["hypothesis"].get<std::string>(), reference);
      EXPECT_NEAR(score.value, 100 * f1.get<double>(), 1e-9) << name << " " << entry;
      ++compared;
    }
  EXPECT_GE(compared, 900U);
}

TEST(Rouge, stems_are_of_english_words_only) {
  const auto rouge = make_metrics("rouge1", {.rouge = {.stemmer = true}});
  const auto f1 = [&](const char* hypothesis, const std::string& reference) {
    return sentence_score(*rouge.front(), hypothesis, {&reference, 1}).value;
  };
  EXPECT_EQ(f1("running", "runs"), 100);
  EXPECT_EQ(f1("bus", "bu"), 0) << "three letters";
  EXPECT_EQ(f1("cafés", "café"), 0);
  EXPECT_EQ(f1("我爱北京", "我爱北京"), 100);
  EXPECT_EQ(to_string(rouge.front()->options()), "case:lc|tok:rouge|stem:porter");
}

TEST(Rouge, sentences_end_at_newlines_however_they_are_written) {
  const auto rouge = make_metrics("rougeLsum");
  const std::string reference = "一只猫\\n两条狗";
  for (const char* text : {"两条狗\n一只猫", "两条狗\\n一只猫", "\\n两条狗\\n\n一只猫\\n"})
    EXPECT_EQ(sentence_score(*rouge.front(), text, {&reference, 1}).value, 100) << text;
  EXPECT_EQ(sentence_score(*rouge.front(), "两条狗一只猫", {&reference, 1}).value, 100) << "a union";
}

}  // namespace
}  // namespace attune::metrics
