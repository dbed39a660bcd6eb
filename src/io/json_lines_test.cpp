#include "io/json_lines.h"

#include <gtest/gtest.h>

#include "testing/scratch.h"

namespace attune {
namespace {

using testing::get, testing::put, testing::ScratchFolder;

void append(JsonLines& log, int64_t update, double loss) {
  log.append([&](Fields& f) {
    f("update", update, "");
    f("loss", loss, "");
  });
}

std::string line(int64_t update) { return "{\"update\":" + std::to_string(update) + ",\"loss\":0.5}\n"; }

TEST(JsonLines, are_appended_one_a_record) {
  const ScratchFolder folder;
  {
    JsonLines log(folder / "metrics.jsonl", 0);
    append(log, 10, 0.5);
    EXPECT_EQ(get(folder / "metrics.jsonl"), line(10));
  }
  JsonLines log(folder / "metrics.jsonl", 10);
  append(log, 20, 0.5);
  EXPECT_EQ(get(folder / "metrics.jsonl"), line(10) + line(20));
}

TEST(JsonLines, after_the_resumed_update_are_cut_off) {
  const ScratchFolder folder;
  put(folder / "f", line(10) + line(20) + line(20) + line(30) + line(40));
  JsonLines log(folder / "f", 25);
  EXPECT_EQ(get(folder / "f"), line(10) + line(20) + line(20));
  append(log, 30, 0.5);
  EXPECT_EQ(get(folder / "f"), line(10) + line(20) + line(20) + line(30));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

TEST(JsonLines, what_a_crash_left_of_a_line_is_cut_off) {
  const ScratchFolder folder;
  for (const std::string& torn :
       {std::string("{\"upd"), std::string("{\"update\":11}"), std::string(3, '\0') + "\n",
        std::string("{\"update\":[11]}\n"), std::string("{\"loss\":1}\n"), std::string("\n"),
        std::string("{\"update\":1e1}\n")}) {
    put(folder / "f", line(10) + torn);
    JsonLines log(folder / "f", 100);
    append(log, 20, 0.5);
    EXPECT_EQ(get(folder / "f"), line(10) + line(20)) << torn;
  }
}

}  // namespace
}  // namespace attune
