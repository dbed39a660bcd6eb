#include "text/sentencepiece/subword_sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using Ids = std::vector<int32_t>;

constexpr int kDraws = 20'000;

// How often each way to split the text comes.
template <class Sample>
std::map<Ids, double> shares(const Sample& sample) {
  std::map<Ids, double> found;
  for (uint64_t i = 0; i < kDraws; ++i) found[sample(Random(5).stream(i))] += 1.0 / kDraws;
  return found;
}

void expect_share(double share, double p) {
  EXPECT_NEAR(share, p, 4 * std::sqrt(p * (1 - p) / kDraws) + 1e-9);
}

SubwordPieces pieces_of(const std::vector<std::pair<std::string, double>>& list) {
  SubwordPieces pieces;
  for (size_t i = 0; i < list.size(); ++i)
    pieces.add(list[i].first, {static_cast<int32_t>(i), list[i].second});
  return pieces;
}

TEST(SubwordSampling, unigram_splits_come_with_their_probabilities) {
  const SubwordPieces pieces =
      pieces_of({{"é", -1}, {"b", -2}, {"c", -1.5}, {"éb", -2.5}, {"bc", -3}, {"ébc", -4}});
  // p of é b c, éb c, é bc, ébc
  const std::map<Ids, double> logs{{{0, 1, 2}, -4.5}, {{3, 2}, -4}, {{0, 4}, -4}, {{5}, -4}};
  for (const double alpha : {1.0, 0.3, 0.0}) {
    const auto found =
        shares([&](const Random& random) { return sample_unigram("ébc", pieces, alpha, random); });
    double sum = 0;
    for (const auto& [ids, log] : logs) sum += std::exp(alpha * log);
    EXPECT_EQ(found.size(), logs.size());
    for (const auto& [ids, log] : logs) expect_share(found.at(ids), std::exp(alpha * log) / sum);
  }
}

TEST(SubwordSampling, text_that_has_no_pieces_gives_nothing) {
  const SubwordPieces pieces = pieces_of({{"a", -1}, {"b", -1}});
  EXPECT_TRUE(sample_unigram("axb", pieces, 1, Random(1)).empty());
  EXPECT_TRUE(sample_bpe("axb", pieces, 0, Random(1)).empty());
  EXPECT_TRUE(sample_unigram("", pieces, 1, Random(1)).empty());
  EXPECT_TRUE(sample_bpe("", pieces, 0, Random(1)).empty());
}

// a b c: "ab" is merged first, then "ab c"; without it "bc".
TEST(SubwordSampling, bpe_leaves_out_merges) {
  const SubwordPieces pieces =
      pieces_of({{"a", -9}, {"b", -9}, {"c", -9}, {"ab", 0}, {"bc", -1}, {"abc", -2}});
  constexpr double kDropout = 0.3, kKept = 1 - kDropout;
  const auto found =
      shares([&](const Random& random) { return sample_bpe("abc", pieces, kDropout, random); });
  expect_share(found.at({5}), kKept * kKept + kDropout * kKept * kKept);  // ab, abc; or bc, abc
  expect_share(found.at({3, 2}), kKept * kDropout);
  expect_share(found.at({0, 4}), kDropout * kKept * kDropout);
  expect_share(found.at({0, 1, 2}), kDropout * kDropout);
  EXPECT_EQ(sample_bpe("abc", pieces, 0, Random(1)), Ids{5});
  EXPECT_EQ(sample_bpe("abc", pieces, 1, Random(1)), (Ids{0, 1, 2}));
}

const std::vector<std::string> kLines{"the lower and the lowest of the newer towers",
                                      "größere Türme, neuere Türme", "wider and wider, the widest river",
                                      "低い塔と新しい塔", "10 newer rivers"};

std::unique_ptr<Vocabulary> trained(VocabularyKind kind) {
  return train_vocabulary({{5, [](int64_t i) { return kLines[static_cast<size_t>(i)]; }}},
                          {.kind = kind, .size = 360, .user_symbols = {">>fr<<", "[MASK]"}});
}

TEST(SubwordSampling, sampled_tokens_are_the_same_text) {
  for (const auto kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const auto vocabulary = trained(kind);
    std::vector<std::string> texts = kLines;
    texts.insert(texts.end(), {"", " ", "new words: ☃ and [MASK] rivers>>fr<<", "☃", "[MASK]"});
    bool differs = false;
    for (const std::string& text : texts)
      for (uint64_t i = 0; i < 20; ++i) {
        const Ids ids = vocabulary->sample(text, 0.2, Random(1).stream(i));
        EXPECT_EQ(vocabulary->decode(ids), vocabulary->decode(vocabulary->encode(text)));
        EXPECT_EQ(ids, vocabulary->sample(text, 0.2, Random(1).stream(i)));
        differs = differs || ids != vocabulary->encode(text);
      }
    EXPECT_TRUE(differs);
  }
}

TEST(SubwordSampling, without_chance_it_is_what_sentencepiece_does) {
  const auto bpe = trained(VocabularyKind::bpe), unigram = trained(VocabularyKind::unigram);
  for (const std::string& text : kLines) {
    EXPECT_EQ(bpe->sample(text, 0, Random(1)), bpe->encode(text));
    EXPECT_EQ(unigram->sample(text, 1000, Random(1)), unigram->encode(text));
  }
}

TEST(SubwordSampling, words_and_characters_have_one_way_only) {
  for (const auto kind : {VocabularyKind::word, VocabularyKind::character, VocabularyKind::byte}) {
    const auto vocabulary = trained(kind);
    for (const std::string& text : kLines)
      EXPECT_EQ(vocabulary->sample(text, 0.5, Random(1)), vocabulary->encode(text));
  }
}

}  // namespace
}  // namespace attune
