#include "text/scripts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace attune {
namespace {

using Text = std::u32string_view;

TEST(Scripts, without_blanks_between_words) {
  EXPECT_TRUE(std::ranges::all_of(Text(U"中あアㄅไລខမ"), is_unspaced));
  EXPECT_TRUE(std::ranges::none_of(Text(U"aéжעا한5。、"), is_unspaced));
}

TEST(Scripts, without_blanks_between_sentences) {
  EXPECT_TRUE(std::ranges::all_of(Text(U"中あアㄅ。、！"), joins_without_blank));
  EXPECT_TRUE(std::ranges::none_of(Text(U"a한ไမ.!"), joins_without_blank));
}

TEST(Scripts, wide_characters_are_chinese_japanese_and_korean) {
  EXPECT_TRUE(std::ranges::all_of(Text(U"中あア한。Ａ"), is_wide));
  EXPECT_TRUE(std::ranges::none_of(Text(U"aéไｱ."), is_wide));
}

}  // namespace
}  // namespace attune
