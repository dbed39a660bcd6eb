#include "vectors/number_table.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_error;

TEST(NumberTable, rows_of_numbers_with_anything_between_them) {
  for (const std::string text :
       {"1,2.5,-3e2\n+4, 5 ,6\n", "1;2.5;-3e2\r\n4;5;6", "1\t2.5\t-3e2\n\n4\t5\t6\n",
        "  1  2.5 -3e2\n4 5 6\n", "\xEF\xBB\xBFwidth,höhe,温度\n1,2.5,-3e2\n4,5,6\n"}) {
    const Vectors table = read_number_table(text, "a.csv");
    EXPECT_EQ(table.rows, 2);
    EXPECT_EQ(table.width, 3);
    EXPECT_EQ(table.numbers, (std::vector<float>{1, 2.5f, -300, 4, 5, 6})) << text;
  }
}

TEST(NumberTable, what_is_not_a_number_is_refused_with_its_line) {
  const auto refused = [](const std::string& text, const std::string& message) {
    expect_error([&] { read_number_table(text, "a.csv"); }, message);
  };
  refused("a,b\n1,2\n3\n", "a.csv:3: there are 1 columns, but 2 in the rows before");
  refused("1,2\n1,天\n", "a.csv:2: '天' is not a number; leave out columns of text and dates");
  refused("1,2\n,3\n", "a.csv:2: '' is not a number");
  refused("1,nan\n", "a.csv:1: 'nan' is not a finite number");
  refused("1,1e99\n", "a.csv:1: '1e99' is not a number");
  refused("a,b\nc,d\n", "a.csv: there are no numbers in it");
  refused("day,b\n周一,1\n周二,x\n", "a.csv:3: 'x' is not a number");
  refused("", "a.csv: there are no numbers in it");
}

}  // namespace
}  // namespace attune
