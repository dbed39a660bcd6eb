#include "decode/text_stream.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "decode/word_choice/pieces_fixture.h"
#include "testing/golden.h"
#include "testing/scratch.h"
#include "text/utf8.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

const testing::Pieces kPieces;

TEST(TextStream, half_a_character_is_held_back) {
  TextStream stream(kPieces, "", {});
  EXPECT_EQ(stream.add(9), "a");
  EXPECT_EQ(stream.add(3), "");
  EXPECT_EQ(stream.add(4), "é");
  EXPECT_EQ(stream.add(9), " a");
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

// The result does not depend on the windows in which tokens are decoded.
TEST(TextStream, parts_add_up_to_the_text_of_all_tokens) {
  std::vector<int32_t> tokens;
  for (int32_t i = 0; i < 400; ++i) {
    const int32_t token = (i * 7 + i / 3) % kPieces.size();
    tokens.push_back(token == 1 || token == 2 ? 9 : token);
  }
  TextStream stream(kPieces, "", {});
  std::string text;
  for (const int32_t token : tokens) text += stream.add(token);
  EXPECT_EQ(text + stream.finish(), kPieces.decode(tokens));
}

// Adding a token decodes only a few, however many came before.
TEST(TextStream, time_grows_in_proportion_to_the_tokens) {
  testing::Pieces counting;
  TextStream stream(counting, "", {"there"});
  for (int i = 0; i < 2000; ++i) stream.add(9);
  EXPECT_LT(counting.decoded(), 2000 * 64);
}

TEST(TextStream, bytes_become_whole_characters) {
  const auto vocabulary = train_vocabulary({}, {.kind = VocabularyKind::byte});
  std::string text;
  for (int i = 0; i < 50; ++i) text += "é天😀 a";
  TextStream stream(*vocabulary, "", {});
  std::string shown;
  for (const int32_t token : vocabulary->encode(text)) {
    const std::string part = stream.add(token);
    EXPECT_FALSE(find_invalid_utf8(part));
    shown += part;
  }
  EXPECT_EQ(shown, text);
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, bytes_that_never_become_a_character_are_replaced) {
  const auto vocabulary = train_vocabulary({}, {.kind = VocabularyKind::byte});
  TextStream stream(*vocabulary, "", {});
  std::string shown;
  for (const int32_t token : vocabulary->encode("\xE5\xA4 a\x80\x80\x80\x80\x80z\xF0\x9F"))
    shown += stream.add(token);
  EXPECT_FALSE(find_invalid_utf8(shown));
  EXPECT_TRUE(shown.starts_with("\uFFFD a")) << shown;
  EXPECT_TRUE(shown.ends_with("z")) << shown;
  EXPECT_EQ(stream.finish(), "\uFFFD");
}

// Merges make tokens of a character and a half: "é天" is C3 A9 E5, A4 A9.
TEST(TextStream, tokens_may_end_within_a_character) {
  nlohmann::json file = nlohmann::json::parse(testing::get(testing::golden("huggingface/gpt2.json")));
  nlohmann::json& vocabulary = file["model"]["vocab"];
  for (const auto& [left, right] : {std::pair<std::string, std::string>{"Ã", "©"}, {"Ã©", "å"}, {"¤", "©"}}) {
    if (!vocabulary.contains(left + right)) vocabulary[left + right] = vocabulary.size();
    file["model"]["merges"].push_back(left + " " + right);
  }
  const auto words = parse_vocabulary(file.dump(), "test");
  EXPECT_EQ(words->fragment(words->encode("é天")[0]), "\xC3\xA9\xE5");
  TextStream short_one(*words, "", {});
  EXPECT_EQ(short_one.add(words->encode("é天")[0]), "");
  EXPECT_EQ(short_one.add(words->encode("é天")[1]), "é天");
  std::string text, shown;
  for (int i = 0; i < 50; ++i) text += "é天😀 a";
  TextStream stream(*words, "", {});
  for (const int32_t token : words->encode(text)) {
    const std::string part = stream.add(token);
    EXPECT_FALSE(find_invalid_utf8(part));
    shown += part;
  }
  EXPECT_EQ(shown + stream.finish(), text);
}

}  // namespace
}  // namespace attune
