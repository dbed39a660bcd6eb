#include "text/utf8.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace attune {
namespace {

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> values;
  for (Utf8Reader reader(text); const auto c = reader.next();) values.push_back(c->value);
  return values;
}

std::string encoded(uint32_t c) {
  const auto tail = [](uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(c)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(c >> 6), tail(c)};
  return {static_cast<char>(0xF0 | c >> 18), tail(c >> 12), tail(c >> 6), tail(c)};
}

TEST(Utf8, every_code_point_but_the_surrogates_is_valid_and_read_back) {
  for (uint32_t c = 0; c < 0x120000; c += c < 0x10000 ? 1 : 17) {
    const std::string bytes = encoded(c);
    const bool valid = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
    ASSERT_EQ(!find_invalid_utf8(bytes).has_value(), valid) << c;
    if (valid) {
      ASSERT_EQ(code_points(bytes), std::vector<char32_t>{c});
      std::string again;
      append_utf8(again, c);
      ASSERT_EQ(again, bytes);
    }
  }
}

// The ill-formed sequences of the Unicode standard, tables 3-8 to 3-11, and where each goes wrong.
TEST(Utf8, finds_the_first_wrong_byte) {
  const std::pair<std::string, size_t> cases[] = {
      {"\x80", 0},           {"abc\xff", 3},          {"\xC0\xAF", 0},         {"\xE0\x80\xBF", 0},
      {"\xED\xA0\x80", 0},   {"\xF4\x90\x80\x80", 0}, {"\xF0\x80\x81\x82", 0}, {"\xE1\x80", 0},
      {"ab\xF0\x91\x92", 2}, {"für \xFC", 5},         {"0123456789\xC3", 10}};
  for (const auto& [text, byte] : cases) EXPECT_EQ(find_invalid_utf8(text), byte) << text;
  for (const char* text : {"", "plain ASCII text", "日本語", "na\u00efve", "\U0001F600"})
    EXPECT_EQ(find_invalid_utf8(text), std::nullopt) << text;
}

TEST(Utf8, replaces_what_is_wrong_and_nothing_else) {
  EXPECT_EQ(replace_invalid_utf8("für"), "für");
  EXPECT_EQ(replace_invalid_utf8("f\xFCr"), "f\uFFFDr");
  EXPECT_EQ(replace_invalid_utf8("\xE6\x97|\xE6\x97\xA5"), "\uFFFD|日");
  EXPECT_EQ(find_invalid_utf8(replace_invalid_utf8("\xFF\xC0\xAF\xED\xA0\x80\xF4")), std::nullopt);
}

TEST(Utf8, counts_code_points) {
  EXPECT_EQ(count_code_points(""), 0u);
  EXPECT_EQ(count_code_points("日本語 für \U0001F600"), 9u);
}

TEST(Utf8, is_cut_between_code_points) {
  const std::string text = "für 日";
  EXPECT_EQ(code_point_begin(text, 0), 0u);
  EXPECT_EQ(code_point_begin(text, 2), 1u);
  EXPECT_EQ(code_point_begin(text, 3), 3u);
  for (const size_t byte : {5u, 6u, 7u}) EXPECT_EQ(code_point_begin(text, byte), 5u) << byte;
  EXPECT_EQ(code_point_begin(text, text.size()), text.size());
}

TEST(Utf8, knows_white_space) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\u00A0\u3000\u2009"));
  EXPECT_FALSE(is_blank(" \u200B"));  // ZERO WIDTH SPACE does not have the property White_Space
  EXPECT_FALSE(is_blank("\u3000日"));
}

TEST(Utf8, first_of_any_text_takes_what_one_replacement_stands_for) {
  const auto read = [](std::string_view text) {
    std::vector<std::pair<char32_t, size_t>> all;
    while (!text.empty()) {
      const CodePoint c = first_code_point(text);
      all.emplace_back(c.value, c.bytes.size());
      text.remove_prefix(c.bytes.size());
    }
    return all;
  };
  using All = std::vector<std::pair<char32_t, size_t>>;
  EXPECT_EQ(read("aé爱😀"), (All{{U'a', 1}, {U'é', 2}, {U'爱', 3}, {U'😀', 4}}));
  // The Unicode standard's table 3-8: U+FFFD substitution of maximal subparts.
  EXPECT_EQ(read("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63"),
            (All{{U'a', 1}, {0xFFFD, 3}, {0xFFFD, 2}, {0xFFFD, 1}, {U'b', 1}, {0xFFFD, 1}, {U'c', 1}}));
  EXPECT_EQ(read("\xED\xA0\x80"), (All{{0xFFFD, 1}, {0xFFFD, 1}, {0xFFFD, 1}}));  // a surrogate
}

}  // namespace
}  // namespace attune
