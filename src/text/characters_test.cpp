#include "text/characters.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

TEST(Characters, have_the_categories_of_unicode) {
  EXPECT_TRUE(is_in(U'a', kLetters) && is_in(U'爱', kLetters) && !is_in(U'1', kLetters));
  EXPECT_TRUE(is_in(U'٣', kDigits) && is_in(U'Ⅻ', kNumbers) && !is_in(U'Ⅻ', kDigits));
  EXPECT_TRUE(is_in(U'。', kPunctuation) && is_in(U'€', kSymbols) && is_in(U'\u3000', kSeparators));
  EXPECT_TRUE(is_in(U'\u0301', kAccents) && is_in(U'\u200B', kWithoutWidth) && is_in(U'\n', kControls));
  EXPECT_TRUE(is_in(0x10FFFF, kOthers));
}

TEST(Characters, change_in_texts_as_unicode_says) {
  EXPECT_EQ(small_letters("ΟΔΥΣΣΕΥΣ İ ÀÉ"), "οδυσσευς i̇ àé");  // the last sigma has a form of its own
  EXPECT_EQ(small_letter(U'Σ'), U'σ');
  EXPECT_EQ(composed_text("e\u0301 \u1100\u1161"), "é 가");
  EXPECT_EQ(decomposed(U'ǘ'), U"u\u0308\u0301");
  EXPECT_EQ(decomposed(U'각'), U"\u1100\u1161\u11A8");
  EXPECT_TRUE(starts_composed(U'e') && !starts_composed(U'\u0301') && !starts_composed(U'\u1161'));
  EXPECT_TRUE(combines(U'\uFE0F') && !combines(U'e'));
}

}  // namespace
}  // namespace attune
