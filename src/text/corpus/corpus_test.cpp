#include "text/corpus/corpus.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "attune/error.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::ScratchFolder;
using Lines = std::vector<std::string>;

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST(Corpus, joins_parallel_files_and_tables) {
  const ScratchFolder folder;
  const Corpus corpus({{{folder.write("a.en", "one\ntwo\n"), folder.write("a.de", "eins\r\nzwei")}},
                       {{folder.write("b.tsv", "three\tdrei\n\tleer\n")}, true}});
  ASSERT_EQ(corpus.lines(), 4);
  ASSERT_EQ(corpus.columns(), 2u);
  EXPECT_EQ(corpus.line(0), (Lines{"one", "eins"}));
  EXPECT_EQ(corpus.line(1), (Lines{"two", "zwei"}));
  EXPECT_EQ(corpus.line(2), (Lines{"three", "drei"}));
  EXPECT_EQ(corpus.line(3), (Lines{"", "leer"}));
  EXPECT_EQ(corpus.column(2, 1), "drei");
  EXPECT_EQ(corpus.column(1, 1), "zwei");
  EXPECT_EQ(corpus.where(1, 1), (folder / "a.de").string() + ":2");
  EXPECT_EQ(corpus.where(2, 1), (folder / "b.tsv").string() + ":1");
  EXPECT_THROW(corpus.line(4), Error);
}

TEST(Corpus, columns_of_unequal_length_are_refused_with_their_counts) {
  const ScratchFolder folder;
  const std::string a = folder.write("a", "1\n2\n"), b = folder.write("b", "1\n2\n3\n");
  EXPECT_EQ(refusal([&] {
              Corpus({{{a, b}}});
            }),
            a + " has 2 lines, but " + b +
                " has 3; line n of one must belong to line n of the other (`attune check` finds where they "
                "diverge)");
  EXPECT_EQ(refusal([&] { Corpus({{{a, a}}, {{b}}}); }), b + ": it has 1 columns, but " + a + " has 2");
  const std::string table = folder.write("t", "1\t2\n3\n");
  EXPECT_EQ(refusal([&] {
              Corpus({{{table}, true}}).line(1);
            }),
            table + ":2: it has 1 columns, but the first line has 2");
  EXPECT_EQ(refusal([&] { Corpus({{{folder.write("empty", "")}}}); }),
            (folder / "empty").string() + ": the file is empty");
  EXPECT_EQ(refusal([&] { Corpus({{{a}, false, -1}}); }), a + ": its weight must be 0 to 1000000, but is -1");
}

TEST(Corpus, bytes_that_are_not_utf8_are_named_or_replaced) {
  const ScratchFolder folder;
  const std::string good = folder.write("good", "a\nb\n"), bad = folder.write("bad", "a\nf\xFCr\n");
  const std::string table = folder.write("table", "a\tf\xFCr\n");
  EXPECT_EQ(refusal([&] {
              Corpus({{{good, bad}}}).line(1);
            }),
            bad +
                ":2: byte 2 is not UTF-8; convert the file, for example with `iconv`, or have invalid bytes "
                "replaced");
  EXPECT_NE(refusal([&] {
              Corpus({{{table}, true}}).line(0);
            }).find(":1: byte 2 of column 2 is not UTF-8"),
            std::string::npos);
  EXPECT_EQ(Corpus({{{good, bad}}}, InvalidUtf8::keep).column(1, 1), "f\xFCr");
  EXPECT_EQ(Corpus({{{good, bad}}}, InvalidUtf8::replace).line(1), (Lines{"b", "f\uFFFDr"}));
}

TEST(Corpus, weights_say_how_often_lines_come) {
  const ScratchFolder folder;
  const std::string hundred = folder.write("hundred", numbers(100)), ten = folder.write("ten", numbers(10));
  const Corpus corpus({{{hundred}, false, 0.25}, {{ten}, false, 2.5}, {{ten}, false, 0}, {{ten}}});
  std::vector<std::vector<int64_t>> epochs;
  for (uint64_t e = 0; e < 200; ++e) epochs.push_back(corpus.epoch(Random(1).stream(e)));
  EXPECT_EQ(epochs[0], corpus.epoch(Random(1).stream(0)));
  EXPECT_NE(epochs[0], epochs[1]);
  std::map<int64_t, int> all;
  for (const auto& epoch : epochs) {
    std::map<int64_t, int> counts;
    for (const int64_t line : epoch) ++counts[line], ++all[line];
    int from_hundred = 0, from_ten = 0;
    for (const auto& [line, count] : counts) {
      const bool weighted = line >= 100 && line < 110;
      from_ten += weighted ? count : 0;
      from_hundred += line < 100 ? count : 0;
      EXPECT_FALSE(line >= 110 && line < 120);
      EXPECT_TRUE(weighted ? count == 2 || count == 3 : count == 1) << line;
    }
    ASSERT_EQ(from_hundred, 25);
    ASSERT_EQ(from_ten, 25);
    ASSERT_EQ(epoch.size(), 60u);
  }
  for (int64_t line = 0; line < 100; ++line) EXPECT_NEAR(all[line], 50, 30) << "every line gets its chance";
}

}  // namespace
}  // namespace attune
