// Scores that are published or can be computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attune/error.h"
#include "metrics/make_metric.h"
#include "metrics/ngrams.h"
#include "metrics/significance.h"

namespace attune::metrics {
namespace {

double value(std::string_view name, const Sentences& hypotheses, const References& references,
             const MetricOptions& options = {}) {
  return corpus_score(*make_metrics(name, options).front(), hypotheses, references).value;
}

void expect_refusal(const std::string& message, const auto& work) {
  try {
    work();
    FAIL() << "accepted; expected: " << message;
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Ngrams, equal_ones_have_equal_numbers) {
  NgramNumbers numbers;
  const uint32_t text[] = {1, 2, 1, 2};
  const Ngrams ngrams = numbers(text, 5);
  EXPECT_EQ(ngrams[0][0], ngrams[0][2]);
  EXPECT_EQ(ngrams[1][0], ngrams[1][2]);
  EXPECT_NE(ngrams[1][0], ngrams[1][1]);
  EXPECT_EQ(ngrams[3].size(), 1U);
  EXPECT_TRUE(ngrams[4].empty());
  EXPECT_EQ(numbers.size(), 2U + 2U + 2U + 1U);
}

TEST(Ngrams, stay_apart_when_the_table_grows) {
  NgramNumbers numbers;
  std::vector<uint32_t> text(5000);
  for (uint32_t i = 0; i < text.size(); ++i) text[i] = i;
  const Ngrams before = numbers(text, 2), after = numbers(text, 2);
  EXPECT_EQ(before, after);
  EXPECT_EQ(numbers.size(), 5000U + 4999U);
}

// correct 9 7 5 3 of 10 8 6 4, lengths 11 and 11: 0.8375922397 in sacreBLEU's test_bleu.py.
TEST(Bleu, is_the_geometric_mean_of_precisions) {
  EXPECT_NEAR(Bleu().value({11, 11, 9, 7, 5, 3, 10, 8, 6, 4}), 83.75922397, 1e-8);
}

TEST(Bleu, brevity_penalty_of_half_the_length_is_1_over_e) {
  const MetricOptions effective{.bleu = {.effective_order = true}};
  EXPECT_NEAR(value("bleu", {"test"}, {{"a test"}}, effective), 100 * std::exp(-1), 1e-12);
  EXPECT_NEAR(value("bleu", {"a b c d"}, {{"a b c d"}}), 100, 1e-12);
}

TEST(Bleu, smooths_zero_counts_as_asked) {
  // 3 of 4 unigrams, 1 of 3 bigrams, 0 of 2 and 0 of 1.
  const auto bleu = [](Smoothing smoothing) {
    return value("bleu", {"a b x c"}, {{"a b y c"}}, {.bleu = {.smoothing = smoothing}});
  };
  const auto root = [](double a, double b, double c, double d) {
    return 100 * std::pow(a * b * c * d, 0.25);
  };
  EXPECT_EQ(bleu(Smoothing::none), 0);
  EXPECT_NEAR(bleu(Smoothing::exp), root(3. / 4, 1. / 3, 1. / 4, 1. / 4), 1e-10);
  EXPECT_NEAR(bleu(Smoothing::floor), root(3. / 4, 1. / 3, .1 / 2, .1 / 1), 1e-10);
  EXPECT_NEAR(bleu(Smoothing::add_k), root(3. / 4, 2. / 4, 1. / 3, 1. / 2), 1e-10);
}

TEST(Bleu, takes_the_closest_reference_length_the_shorter_of_two_and_the_most_of_each_ngram) {
  const Bleu bleu({.tokenize = "none"});
  const Sentences references{"a a b", "a c c c c"};
  const Statistics s = bleu.statistics("a a c c", references);
  EXPECT_EQ(s, (Statistics{4, 3, 4, 3, 1, 0, 4, 3, 2, 1}));
}

TEST(Bleu, of_nothing_is_nothing) {
  EXPECT_EQ(value("bleu", {""}, {{"a b"}}), 0);
  EXPECT_EQ(value("bleu", {"a b"}, {{""}}), 0);
  EXPECT_EQ(value("bleu", {""}, {{""}}), 0);
}

// From sacreBLEU's test_chrf.py.
TEST(Chrf, short_words_by_effective_order_and_by_epsilon) {
  EXPECT_NEAR(value("chrf", {"aa"}, {{"ab"}}), 25, 1e-10);
  EXPECT_NEAR(value("chrf", {"a", "b"}, {{"a", "c"}}), 50, 1e-10);
  EXPECT_NEAR(value("chrf", {"a b c"}, {{"abc"}}), 100, 1e-10);
  EXPECT_NEAR(value("chrf", {"aa"}, {{"ab"}}, {.chrf = {.eps_smoothing = true}}), 8.3333, 1e-4);
  EXPECT_EQ(value("chrf", {""}, {{"b"}}), 0);
}

TEST(Chrf, sets_one_punctuation_mark_of_a_word_apart) {
  const MetricOptions words{.chrf = {.char_order = 1, .word_order = 1}};
  const Chrf chrf(words.chrf);
  const Sentences reference{"( hi )"};
  const Statistics s = chrf.statistics("(hi)", reference);
  EXPECT_EQ(Statistics(s.begin() + 3, s.end()),
            (Statistics{2, 3, 1}));  // "(hi" and ")" against "(", "hi", ")"
}

// Snover et al. 2006, and sacreBLEU's test_ter.py.
TEST(Ter, a_moved_phrase_is_one_edit) {
  EXPECT_NEAR(value("ter", {"d e f g h a b c"}, {{"a b c d e f g h"}}), 100. / 8, 1e-12);
  EXPECT_EQ(value("ter", {"a b c"}, {{"x y z"}}), 100);
  EXPECT_EQ(value("ter", {"a b c d"}, {{"a b c d"}}), 0);
}

TEST(Ter, of_empty_sides) {
  EXPECT_EQ(value("ter", {""}, {{"a"}}), 100);
  EXPECT_EQ(value("ter", {"a"}, {{""}}), 100);
  EXPECT_EQ(value("ter", {""}, {{""}}), 0);
}

TEST(Ter, divides_by_the_mean_length_of_references) {
  EXPECT_EQ(value("ter", {"a b"}, {{"a b c"}, {"x y z u v"}}), 25);
}

// Lin 2004, section 3: "police killed the gunman" has LCS 3 of 4 and 2 of 4 with these; both have bigram "the
// gunman".
TEST(Rouge, longest_common_subsequence_tells_order_where_bigrams_do_not) {
  const Sentences reference{"police killed the gunman"};
  const auto rouge = make_metrics("rouge");
  const auto f1 = [&](size_t kind, const char* text) {
    return sentence_score(*rouge[kind], text, reference).value;
  };
  EXPECT_NEAR(f1(2, "police kill the gunman"), 75, 1e-12);
  EXPECT_NEAR(f1(2, "the gunman kill police"), 50, 1e-12);
  EXPECT_NEAR(f1(1, "police kill the gunman"), f1(1, "the gunman kill police"), 1e-12);
  EXPECT_NEAR(f1(0, "The gunman, killed!"), 100 * 2 * 1 * 0.75 / 1.75, 1e-12);
}

TEST(Rouge, is_a_mean_over_sentences_and_takes_the_best_reference) {
  EXPECT_NEAR(value("rouge", {"a b", "c"}, {{"a b", "d"}}), 50, 1e-12);
  EXPECT_NEAR(value("rouge", {"a b"}, {{"x"}, {"a b"}}), 100, 1e-12);
  EXPECT_EQ(value("rouge", {"", "..."}, {{"a", ""}}), 0);
}

TEST(Rouge, chinese_goes_by_characters) {
  EXPECT_NEAR(value("rouge", {"我爱北京"}, {{"我去北京。"}}), 75, 1e-12);
  EXPECT_NEAR(value("rouge", {"Ünïcode"}, {{"ünïcode"}}), 100, 1e-12);
}

TEST(WordErrors, count_edits_per_reference_word) {
  EXPECT_EQ(value("wer", {"a x c", "d"}, {{"a b c d", "d"}}), 40);
  EXPECT_EQ(value("wer", {"a b"}, {{"x y z"}, {"a c"}}), 50);
  EXPECT_EQ(value("wer", {"a", ""}, {{"", ""}}), 100);
}

// By hand: a blank is inserted and c becomes d, 2 edits of 5 characters; without blanks, 1 of 3.
TEST(WordErrors, characters_count_with_or_without_blanks) {
  EXPECT_EQ(value("cer", {"ab c"}, {{"a b d"}}), 40);
  EXPECT_EQ(value("cer-noblank", {"ab c"}, {{"a b d"}}), 100. / 3);
  EXPECT_EQ(value("cer", {"中 文"}, {{"中国"}}), 100);
  EXPECT_EQ(value("cer-noblank", {"中 文"}, {{"中国"}}), 50);
  EXPECT_EQ(value("cer", {"  é\u3000ü "}, {{"é\u3000ü"}}), 0);
  EXPECT_EQ(to_string(make_metrics("cer").front()->options()), "case:mixed|space:yes");
  EXPECT_EQ(to_string(make_metrics("cer-noblank").front()->options()), "case:mixed|space:no");
}

TEST(ExactMatch, ignores_white_space_only) {
  EXPECT_EQ(value("exact", {"a  b ", "A b", "c", ""}, {{"a b", "a b", "d", ""}, {"x", "x", "c", "x"}}), 75);
}

// A = {0-0, 1-1, 2-2}, S = {0-0, 1-2}, P adds 1-1: |A & S| = 1, |A & P| = 2.
TEST(AlignmentError, counts_sure_and_possible_links) {
  const auto aer = std::move(make_metrics("aer").front());
  const Score score = corpus_score(*aer, {"0-0 1-1 2-2"}, {{"0-0 1p1 1-2"}});
  EXPECT_NEAR(score.value, 100 * (1 - 3. / 5), 1e-12);
  EXPECT_EQ(score.verbose, "(precision = 66.7 recall = 50.0 links = 3 sure = 2)");
  EXPECT_EQ(value("aer", {"", "0-0"}, {{"", "0-0"}}), 0);
  EXPECT_EQ(value("aer", {"0-0 0-0"}, {{"0p0 0-0"}}), 0);
}

TEST(AlignmentError, refuses_what_is_no_link_with_its_line) {
  for (const std::string bad : {"3", "3-", "-3-4", "3:4", "3-4x", "3--4", "99999999999-1"})
    expect_refusal(
        "line 2: AER: '" + bad + "' is not a link: write 3-4 (sure) or 3p4 (possible), counted from 0", [&] {
          value("aer", {"0-0", bad}, {{"0-0", "0-0"}});
        });
  expect_refusal("line 1: AER: give one gold file, with possible links written as ipj", [] {
    value("aer", {"0-0"}, {{"0-0"}, {"0-0"}});
  });
}

TEST(Metrics, refuse_what_does_not_fit) {
  expect_refusal("BLEU: 2 hypotheses but 1 references", [] { value("bleu", {"a", "b"}, {{"a"}}); });
  expect_refusal("BLEU: there are no hypotheses", [] { value("bleu", {}, {{}}); });
  expect_refusal("BLEU: there are no references", [] { value("bleu", {"a"}, {}); });
  expect_refusal(
      "unknown metric 'blue', did you mean 'bleu'? Known: accuracy, aer, answer_exact, answer_f1, bleu, cer, "
      "cer-noblank, chrf, chrf++, entity_f1, exact, mae, mse, "
      "rouge, "
      "rouge1, rouge2, rougeL, rougeLsum, ter, wer",
      [] { make_metrics("blue"); });
  expect_refusal("unknown smoothing method 'flor', did you mean 'floor'?", [] { smoothing_of("flor"); });
}

TEST(Metrics, every_metric_gives_the_same_for_any_number_of_threads) {
  Sentences hypotheses, reference;
  for (int i = 0; i < 300; ++i) {
    hypotheses.push_back(std::to_string(i % 7) + "-0 1-" + std::to_string(i % 5));
    reference.push_back(std::to_string(i % 3) + "-0 1-" + std::to_string(i % 4));
  }
  for (const std::string& name : metric_names())
    for (const auto& metric : make_metrics(name)) {
      if (name == "mse" || name == "mae") {  // of numbers
        for (Sentences* lines : {&hypotheses, &reference})
          for (std::string& line : *lines) std::ranges::replace(line, '-', ' ');
      }
      std::vector<Statistics> one_by_one;
      for (size_t i = 0; i < hypotheses.size(); ++i)
        one_by_one.push_back(metric->statistics(hypotheses[i], std::span(&reference[i], 1)));
      EXPECT_EQ(sentence_statistics(*metric, hypotheses, {reference}), one_by_one) << name;
    }
}

TEST(Significance, a_clear_difference_is_significant_and_a_small_one_is_not) {
  const Bleu bleu;
  Sentences reference, good, worse, bad;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    reference.push_back("a b c d " + n);
    good.push_back(i % 10 == 0 ? "a b x y" : "a b c d " + n);
    worse.push_back(i % 10 == 1 ? "a b x z" : "a b c d " + n);
    bad.push_back(i % 2 == 0 ? "a b c d x" : "x y z u v");
  }
  const auto of = [&](const Sentences& system) { return sentence_statistics(bleu, system, {reference}); };
  for (const auto test : {paired_bootstrap, paired_randomization}) {
    EXPECT_LT(test(bleu, of(good), of(bad), 500, 1).p_value, 0.01);
    EXPECT_GT(test(bleu, of(good), of(worse), 500, 1).p_value, 0.3);
  }
}

TEST(Significance, an_interval_of_equal_sentences_is_a_point) {
  const std::vector<Statistics> same(10, Statistics{5, 5, 5, 4, 3, 2, 5, 4, 3, 2});
  const Interval interval = bootstrap_interval(Bleu(), same, 100, kSacrebleuSeed);
  EXPECT_NEAR(interval.mean, 100, 1e-9);
  EXPECT_EQ(interval.half_width, 0);
}

}  // namespace
}  // namespace attune::metrics
