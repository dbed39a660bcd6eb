#include "decode/text_stream.h"

#include <gtest/gtest.h>

#include "decode/spelling.h"
#include "text/listed_vocabulary.h"

namespace attune {
namespace {

// Pieces as SentencePiece has them, with two bytes of é (C3 A9).
class Pieces final : public Vocabulary {
 public:
  explicit Pieces(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

  VocabularyKind kind() const override { return VocabularyKind::unigram; }
  int32_t size() const override { return static_cast<int32_t>(pieces_.size()); }
  // The longest piece each time.
  std::vector<int32_t> encode(std::string_view text) const override {
    std::string rest = "▁";
    for (const char c : text) rest += c == ' ' ? "▁" : std::string(1, c);
    while (rest.ends_with("▁")) rest.resize(rest.size() - 3);
    std::vector<int32_t> ids;
    while (!rest.empty()) {
      int32_t best = unk();
      for (int32_t i = 3; i < size(); ++i)
        if (!is_byte(i) && rest.starts_with(piece(i)) &&
            (best == unk() || piece(i).size() > piece(best).size()))
          best = i;
      ids.push_back(best);
      rest.erase(0, best == unk() ? 1 : piece(best).size());
    }
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text, bytes;
    const auto flush = [&] {
      text += bytes.size() == 2 ? bytes : bytes.empty() ? "" : "\xEF\xBF\xBD";
      bytes.clear();
    };
    for (const int32_t id : ids) {
      if (is_byte(id)) {
        bytes += id == 3 ? "\xC3" : "\xA9";
        continue;
      }
      flush();
      std::string shown = id == unk() ? "⁇" : piece(id);
      if (shown.starts_with("▁")) shown = (text.empty() ? "" : " ") + shown.substr(3);
      text += shown;
    }
    flush();
    return text;
  }
  std::string piece(int32_t id) const override { return pieces_[static_cast<size_t>(id)]; }
  std::optional<int32_t> id(std::string_view) const override { return {}; }
  int32_t unk() const override { return 0; }
  int32_t bos() const override { return 1; }
  int32_t eos() const override { return 2; }
  bool is_byte(int32_t id) const override { return id == 3 || id == 4; }
  std::string serialized() const override { return ""; }

 private:
  std::vector<std::string> pieces_;
};

const Pieces kPieces({"<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>", "▁inter", "▁international", "▁in", "nation",
                      "▁a", "▁", "t", "e", "r", "i", "n", "▁the", "re", "al"});

TEST(TextStream, half_a_character_is_held_back) {
  TextStream stream(kPieces, "", {});
  EXPECT_EQ(stream.add(9), "a");
  EXPECT_EQ(stream.add(3), "");
  EXPECT_EQ(stream.add(4), "é");
  EXPECT_EQ(stream.add(3), "");
  EXPECT_EQ(stream.add(16), "\xEF\xBF\xBD the");  // it never became one
  EXPECT_EQ(stream.add(3), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
}

TEST(TextStream, what_may_become_a_stop_text_is_held_back) {
  TextStream stream(kPieces, "", {"nation", "there a"});
  EXPECT_EQ(stream.add(16), "");     // the
  EXPECT_EQ(stream.add(15), "the");  // then: n may begin "nation"
  EXPECT_EQ(stream.add(9), "n a");
  EXPECT_EQ(stream.add(8), "");
  EXPECT_TRUE(stream.stopped());
  EXPECT_EQ(stream.add(9), "");
  EXPECT_EQ(stream.finish(), "");

  TextStream other(kPieces, "", {"there a"});
  EXPECT_EQ(other.add(16), "");
  EXPECT_EQ(other.add(17), "");
  EXPECT_EQ(other.finish(), "there");
  EXPECT_FALSE(other.stopped());
}

TEST(TextStream, the_beginning_is_not_shown_again) {
  TextStream within(kPieces, "a inter", {});
  EXPECT_EQ(within.add(9), "");
  EXPECT_EQ(within.add(6), "national");
  TextStream blank(kPieces, "the ", {});
  EXPECT_EQ(blank.add(16), "");
  EXPECT_EQ(blank.add(9), "a");
}

std::vector<std::string> allowed(const Spelling& spelling, size_t spelled) {
  std::vector<std::string> pieces;
  for (int32_t id = 0; id < kPieces.size(); ++id)
    if (spelling.allows(spelled, id)) pieces.push_back(kPieces.piece(id));
  return pieces;
}

TEST(Spelling, a_word_may_go_on_in_any_pieces_that_can_spell_the_rest) {
  const PieceTexts pieces(kPieces);
  const Beginning begin = beginning_with("a inter", kPieces, pieces);
  EXPECT_EQ(begin.tokens, std::vector<int32_t>{9});
  EXPECT_EQ(begin.spelled, "▁inter");
  const Spelling spelling(pieces, 1, begin.spelled);
  EXPECT_EQ(allowed(spelling, 0), (std::vector<std::string>{"▁inter", "▁international", "▁in", "▁"}));
  EXPECT_EQ(spelling.spelled(std::vector<int32_t>{9, 7}), 5);
  EXPECT_EQ(allowed(spelling, 5), (std::vector<std::string>{"t"}));
  EXPECT_EQ(allowed(spelling, 6), (std::vector<std::string>{"e"}));
  EXPECT_FALSE(spelling.is_done(7));
  EXPECT_EQ(allowed(spelling, 7), (std::vector<std::string>{"r", "re"}));
  EXPECT_TRUE(spelling.is_done(8));
}

TEST(Spelling, a_blank_at_the_end_ends_the_word) {
  const PieceTexts pieces(kPieces);
  const Beginning begin = beginning_with("the ", kPieces, pieces);
  EXPECT_EQ(begin.spelled, "▁the▁");
  const Spelling spelling(pieces, 0, begin.spelled);
  EXPECT_EQ(allowed(spelling, 6),
            (std::vector<std::string>{"▁inter", "▁international", "▁in", "▁a", "▁", "▁the"}));
}

TEST(Spelling, unknown_text_is_forced_as_it_is) {
  const PieceTexts pieces(kPieces);
  const Beginning begin = beginning_with("a x", kPieces, pieces);
  EXPECT_EQ(begin.tokens, (std::vector<int32_t>{9, 10, 0}));
  EXPECT_EQ(begin.spelled, "");
  EXPECT_EQ(length_of_beginning("a ⁇ the", "a x", kPieces), std::string("a ⁇").size());
  EXPECT_FALSE(length_of_beginning("the", "a x", kPieces));
}

TEST(Spelling, words_and_characters_have_nothing_to_spell) {
  const ListedVocabulary words(VocabularyKind::word, {{"a", 1, false}, {"b", 1, false}});
  const Beginning begin = beginning_with("a b ", words, PieceTexts(words));
  EXPECT_EQ(begin.tokens, (std::vector<int32_t>{3, 4}));
  EXPECT_EQ(begin.spelled, "");
}

}  // namespace
}  // namespace attune
