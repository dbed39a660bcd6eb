#include "text/writing.h"

#include <gtest/gtest.h>

#include <vector>

namespace attune {
namespace {

Writing of(const std::vector<std::string>& lines) { return writing_of(lines); }

TEST(Writing, is_that_of_most_letters) {
  EXPECT_EQ(of({"a dog runs", "über 3.000 日本"}), Writing::spaced);
  EXPECT_EQ(of({"Собака бежит.", "개가 달린다"}), Writing::spaced);
  EXPECT_EQ(of({"一只狗在跑。", "打开 LibreOffice，然后点击“文件”"}), Writing::chinese);
  EXPECT_EQ(of({"犬が走っています。", "東京都は大きい"}), Writing::unspaced);
  EXPECT_EQ(of({"สุนัขกำลังวิ่ง"}), Writing::unspaced);
  EXPECT_EQ(of({"3 + 4 = 7", ""}), Writing::spaced);
  EXPECT_EQ(of({}), Writing::spaced);
}

}  // namespace
}  // namespace attune
