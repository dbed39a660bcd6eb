#include "text/boundaries.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

std::vector<std::string> texts(const std::vector<TextPart>& parts) {
  std::vector<std::string> all;
  for (const TextPart& part : parts) all.push_back(part.text);
  return all;
}

using Texts = std::vector<std::string>;

TEST(Boundaries, sentences_end_as_they_do_in_each_script) {
  EXPECT_EQ(texts(sentences_of("It rains. Is it 3.5 km? Yes!")),
            (Texts{"It rains.", "Is it 3.5 km?", "Yes!"}));
  EXPECT_EQ(texts(sentences_of("下雨了。你好吗？好！")), (Texts{"下雨了。", "你好吗？", "好！"}));
  EXPECT_EQ(texts(sentences_of("no end")), Texts{"no end"});
  EXPECT_TRUE(sentences_of("").empty());
  EXPECT_TRUE(sentences_of("  ").empty());
}

TEST(Boundaries, parts_and_their_spaces_are_the_text) {
  for (const std::string text : {"One.  Two three.\tFour", "我们走。他们 来。 ", "a\xF0\x9F\x98\x80 b. C"})
    for (const auto& parts : {sentences_of(text), words_of(text)}) {
      std::string joined;
      for (const TextPart& part : parts) joined += part.text + part.space;
      EXPECT_EQ(joined, text);
    }
}

TEST(Boundaries, words_have_their_spaces_behind_them) {
  const auto parts = words_of("Two  words");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].space, "  ");
}

TEST(Boundaries, nothing_is_cut_inside_placeholders_and_addresses) {
  EXPECT_EQ(texts(sentences_of("See https://example.com/search?q=dogs. Then go.")),
            (Texts{"See https://example.com/search?q=dogs.", "Then go."}));
  EXPECT_EQ(texts(sentences_of("Schreib an a.b@example.org! Oder {{ frage? ja. Nein }}.")),
            (Texts{"Schreib an a.b@example.org!", "Oder {{ frage? ja. Nein }}."}));
  EXPECT_EQ(texts(words_of("{имя} an a.b@example.org")), (Texts{"{имя}", "an", "a.b@example.org"}));
}

TEST(Boundaries, chinese_and_japanese_stand_without_blanks_and_korean_does_not) {
  for (const char* text : {"好", "。", "！", "です", "カー", "ㄅ"}) {
    EXPECT_TRUE(ends_without_blank(text)) << text;
    EXPECT_TRUE(begins_without_blank(text)) << text;
  }
  for (const char* text : {"a", "다", "한국어", "😀", "❤\uFE0F", "ж", "", "ไทย"}) {
    EXPECT_FALSE(ends_without_blank(text)) << text;
    EXPECT_FALSE(begins_without_blank(text)) << text;
  }
}

}  // namespace
}  // namespace attune
