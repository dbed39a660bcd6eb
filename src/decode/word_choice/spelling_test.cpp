#include "decode/word_choice/spelling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "decode/search/search_fixture.h"
#include "decode/word_choice/pieces_fixture.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

using testing::Ids;

const testing::Pieces kPieces;

struct Best {
  Ids tokens;
  double log_p = -INFINITY;
};

// All spellings of the rest of a text, each computed from the beginning.
void try_all(const Ensemble& models, const PieceTexts& pieces, const Ids& source, const Ids& written,
             const std::string& rest, double log_p, Best& best) {
  const auto said = testing::next_word(models, source, written, {}, -1);
  double all_the_rest = 0;
  for (int32_t id = 0; id < pieces.count(); ++id)
    if (!pieces[id].empty() && pieces[id].starts_with(rest))
      all_the_rest += std::exp(said.log_p[static_cast<size_t>(id)]);
  if (all_the_rest > 0 && log_p + std::log(all_the_rest) > best.log_p)
    best = {written, log_p + std::log(all_the_rest)};
  for (int32_t id = 0; id < pieces.count(); ++id) {
    if (pieces[id].empty() || pieces[id].starts_with(rest) || !rest.starts_with(pieces[id])) continue;
    Ids longer = written;
    longer.push_back(id);
    try_all(models, pieces, source, longer, rest.substr(pieces[id].size()),
            log_p + said.log_p[static_cast<size_t>(id)], best);
  }
}

TEST(Spelling, the_last_word_is_spelled_in_the_likeliest_pieces) {
  const PieceTexts pieces(kPieces);
  std::set<size_t> lengths;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const testing::RandomModel model("type: rnn_lm\nembedding: 6\nhidden: 8\ndropout: 0\n", kPieces.size(),
                                     seed);
    const Ensemble models(model.writer());
    for (const std::string word : {"inter", "in", "t", "ter"}) {
      const Beginning found = beginning_with("a " + word, kPieces, pieces, models, one_sentence({}));
      Best best;
      try_all(models, pieces, {}, {9}, "▁" + word, 0, best);
      EXPECT_EQ(found.tokens, best.tokens) << seed << " " << word;
      std::string spelled;
      for (const int32_t token : found.tokens) spelled += pieces[token];
      EXPECT_EQ(spelled + found.rest, "▁a▁" + word);
      for (const int32_t token : found.choices(pieces)) EXPECT_TRUE(pieces[token].starts_with(found.rest));
      lengths.insert(found.tokens.size());
    }
  }
  EXPECT_GT(lengths.size(), 1);
}

TEST(Spelling, a_blank_at_the_end_ends_the_word) {
  const PieceTexts pieces(kPieces);
  const testing::RandomModel model("type: rnn_lm\nembedding: 6\nhidden: 8\ndropout: 0\n", kPieces.size(), 1);
  const Beginning found = beginning_with("the ", kPieces, pieces, Ensemble(model.writer()), one_sentence({}));
  EXPECT_TRUE(found.rest.ends_with("▁")) << found.rest;
}

TEST(Spelling, unknown_text_is_forced_as_it_is) {
  const PieceTexts pieces(kPieces);
  const testing::RandomModel model("type: rnn_lm\nembedding: 6\nhidden: 8\ndropout: 0\n", kPieces.size(), 1);
  const Beginning found = beginning_with("a x", kPieces, pieces, Ensemble(model.writer()), one_sentence({}));
  EXPECT_EQ(found.tokens, (Ids{9, 10, 0}));
  EXPECT_EQ(found.rest, "");
  EXPECT_TRUE(found.choices(pieces).empty());
  EXPECT_EQ(ForcedBeginning("a x", kPieces).length_in("a ⁇ the"), std::string("a ⁇").size());
  EXPECT_FALSE(ForcedBeginning("a x", kPieces).length_in("the"));
}

TEST(Spelling, words_are_forced_as_they_are) {
  const ListedVocabulary words(VocabularyKind::word, {{"a", 1, false}, {"b", 1, false}});
  const testing::RandomModel model("type: rnn_lm\nembedding: 6\nhidden: 8\ndropout: 0\n", 5, 1);
  const Beginning found =
      beginning_with("a b ", words, PieceTexts(words), Ensemble(model.writer()), one_sentence({}));
  EXPECT_EQ(found.tokens, (Ids{3, 4}));
  EXPECT_EQ(found.rest, "");
}

}  // namespace
}  // namespace attune
