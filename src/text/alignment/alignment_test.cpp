#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attune/error.h"
#include "text/alignment/symmetrize.h"
#include "text/alignment/word_aligner.h"

namespace attune {
namespace {

using Places = std::vector<int32_t>;

TEST(TranslationTable, maximises_counts_with_and_without_a_prior) {
  const std::vector<SentencePair> pairs{{{0}, {0, 1}}};
  TranslationTable table(pairs, 1);
  EXPECT_EQ(table.empty_word(), 1);
  TranslationTable::Row& row = table.row(0);
  EXPECT_EQ(row.words, (Places{0, 1}));
  EXPECT_EQ(row.place(7), 2U) << "not there";
  row.counts = {3, 1};
  table.row(1).counts = {1, 1};
  table.maximise();
  EXPECT_FLOAT_EQ(row.p[0], 0.75F);
  EXPECT_FLOAT_EQ(row.p[1], 0.25F);
  // psi(1) = -gamma, psi(n + 1) = psi(n) + 1 / n: with alpha = 1, psi(4) - psi(6) and psi(2) - psi(6).
  row.counts = {3, 1};
  table.maximise(1);
  EXPECT_NEAR(row.p[0], std::exp(-1. / 4 - 1. / 5), 1e-6);
  EXPECT_NEAR(row.p[1], std::exp(-1. / 2 - 1. / 3 - 1. / 4 - 1. / 5), 1e-6);
}

// Pairs of words in reverse order, and some of the words alone.
TEST(WordAligner, learns_words_against_the_diagonal) {
  std::vector<SentencePair> pairs{{{0}, {0}}, {{1}, {1}}, {{2}, {2}}, {{3}, {3}}};
  for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {3, 2}, {3, 1}}) pairs.push_back({{a, b}, {b, a}});
  const WordAligner aligner(pairs, 4);
  EXPECT_EQ(aligner.align({{3, 2}, {2, 3}}), (Places{1, 0}));
  EXPECT_EQ(aligner.align({{0, 1}, {1, 0}}), (Places{1, 0}));
}

TEST(WordAligner, places_align_words_that_it_does_not_know) {
  const WordAligner aligner(std::vector<SentencePair>{{{0, 1, 2}, {0, 1, 2}}}, 3);
  const int32_t unknown = WordAligner::kUnknown;
  EXPECT_EQ(aligner.align({{unknown, unknown, unknown}, {unknown, unknown, unknown}}), (Places{0, 1, 2}));
  EXPECT_EQ(aligner.align({{99, 99}, {99, 99}}), (Places{0, 1}));
  EXPECT_EQ(aligner.align({{}, {0, 1}}), (Places{-1, -1}));
  EXPECT_EQ(aligner.align({{0}, {}}), Places{});
}

TEST(WordAligner, tension_grows_if_the_order_is_the_same_and_falls_if_it_is_any) {
  std::vector<SentencePair> same, other;
  for (int32_t i = 0; i < 200; ++i) {
    const std::vector<int32_t> words{i % 7, 7 + i % 11, 18 + i % 13, 31 + i % 5, 36 + i % 3};
    same.push_back({words, words});
    std::vector<int32_t> moved = words;
    std::rotate(moved.begin(), moved.begin() + i % 5, moved.end());
    other.push_back({words, moved});
  }
  EXPECT_GT(WordAligner(same, 40).tension(), 8);
  EXPECT_LT(WordAligner(other, 40).tension(), 2);
}

// Computed by tests/golden/word_aligner.py.
TEST(WordAligner, tension_is_the_likeliest) {
  std::vector<SentencePair> pairs{
      {{0, 1, 2}, {0, 1, 2, 3}},    {{2, 0}, {3, 0}}, {{1, 3, 0, 4}, {4, 1, 0}},
      {{4, 2, 1}, {4, 2, 5, 1, 6}}, {{3}, {1, 2}},    {{0, 4, 3, 2, 1}, {0, 4, 2, 6, 1}}};
  EXPECT_NEAR(WordAligner(pairs, 5).tension(), 9.4413, 2e-3);
  for (SentencePair& pair : pairs) std::swap(pair.source, pair.target);
  EXPECT_NEAR(WordAligner(pairs, 7).tension(), 10.7552, 2e-3);
}

TEST(WordAligner, of_nothing_knows_nothing) {
  EXPECT_EQ(WordAligner({}, 0).align({{-1}, {-1}}), (Places{0}));
  EXPECT_EQ(WordAligner(std::vector<SentencePair>{{{}, {0}}, {{0}, {}}}, 1).align({{0}, {0}}).size(), 1U);
}

std::string links(const Places& forward, const Places& backward, std::string_view how) {
  return pharaoh(symmetrize(forward, backward, symmetry_of(how)));
}

// Both directions have 0-0 and 3-3; forward adds 0-1 and 2-2, backward 1-1 and 4-0.
TEST(Symmetrize, each_way) {
  const Places forward{0, 0, 2, 3}, backward{0, 1, -1, 3, 0};
  EXPECT_EQ(links(forward, backward, "intersect"), "0-0 3-3");
  EXPECT_EQ(links(forward, backward, "union"), "0-0 0-1 1-1 2-2 3-3 4-0");
  EXPECT_EQ(links(forward, backward, "forward"), "0-0 0-1 2-2 3-3");
  EXPECT_EQ(links(forward, backward, "backward"), "0-0 1-1 3-3 4-0");
  // 0-1 beside 0-0; 1-1 diagonal to it, its source is free; 2-2 diagonal to 3-3. 4-0 touches none, and its
  // target is taken.
  EXPECT_EQ(links(forward, backward, "grow-diag-final-and"), "0-0 0-1 1-1 2-2 3-3");
}

TEST(Symmetrize, final_and_adds_lonely_links_of_free_words) {
  EXPECT_EQ(links({0, -1, -1, 3}, {0, -1, -1, -1}, "grow-diag-final-and"), "0-0 3-3");
  EXPECT_EQ(links({-1, -1}, {-1, -1, -1}, "grow-diag-final-and"), "");
  EXPECT_EQ(links({}, {}, "union"), "");
}

TEST(Symmetrize, refuses_unknown_ways) {
  try {
    symmetry_of("grow");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown way to symmetrise 'grow', did you mean 'grow-diag-final-and'? Known: "
                 "grow-diag-final-and, intersect, union, forward, backward");
  }
}

}  // namespace
}  // namespace attune
