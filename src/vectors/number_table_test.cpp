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

TEST(NumberTable, times_are_numbers_or_dates) {
  const auto first = [](const std::string& text) { return read_number_table(text, "a.csv", true).numbers; };
  EXPECT_EQ(first("t,x\n0.5,1\n2,3\n"), (std::vector<float>{0.5f, 1, 2, 3}));
  EXPECT_EQ(first("date,x\n2000-01-02,1\n2000-01-02 06:30,3\n2000-01-03T00:00:36,4\n"),
            (std::vector<float>{24, 1, 30.5f, 3, 48.01f, 4}));
  for (const std::string bad : {"2000-02-30", "2000-13-01", "2000-1-1", "2000-01-02 6:30",
                                "2000-01-02 06:30:00Z", "二月", "2000-01-02x06:30", ""})
    expect_error([&] { first("date,x\n2000-01-01,1\n" + bad + ",2\n"); },
                 "a.csv:3: '" + bad + "' is not a time");
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
