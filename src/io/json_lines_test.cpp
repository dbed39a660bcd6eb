#include "io/json_lines.h"

#include <gtest/gtest.h>

#include "testing/scratch.h"

namespace attune {
namespace {

using testing::get, testing::put, testing::ScratchFolder;

constexpr int64_t kAll = 1 << 20;

void append(JsonLines& log, int64_t update) {
  double loss = 0.5;
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
    append(log, 10);
    EXPECT_EQ(get(folder / "metrics.jsonl"), line(10));
    EXPECT_EQ(log.bytes(), static_cast<int64_t>(line(10).size()));
  }
  JsonLines log(folder / "metrics.jsonl", kAll);
  append(log, 20);
  EXPECT_EQ(get(folder / "metrics.jsonl"), line(10) + line(20));
}

TEST(JsonLines, behind_what_a_checkpoint_kept_are_cut_off) {
  const ScratchFolder folder;
  put(folder / "f", line(10) + line(20) + line(20) + line(30));
  const std::string kept = line(10) + line(20);  // the second record of update 20 came after the checkpoint
  JsonLines log(folder / "f", static_cast<int64_t>(kept.size()));
  EXPECT_EQ(get(folder / "f"), kept);
  append(log, 20);
  EXPECT_EQ(get(folder / "f"), kept + line(20));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

TEST(JsonLines, that_are_damaged_do_not_cut_what_follows) {
  const ScratchFolder folder;
  std::string content = line(10) + line(20) + line(30);
  content[line(10).size() + 3] ^= 4;
  put(folder / "f", content);
  JsonLines log(folder / "f", static_cast<int64_t>(content.size()));
  append(log, 40);
  EXPECT_EQ(get(folder / "f"), content + line(40));
}

TEST(JsonLines, that_were_torn_are_cut_off) {
  const ScratchFolder folder;
  for (const std::string torn : {"{\"upd", "{\"update\":11}"}) {
    put(folder / "f", line(10) + torn);
    JsonLines log(folder / "f", kAll);
    append(log, 20);
    EXPECT_EQ(get(folder / "f"), line(10) + line(20)) << torn;
  }
}

}  // namespace
}  // namespace attune
