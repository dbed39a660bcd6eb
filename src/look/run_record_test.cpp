#include "look/run_record.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::ScratchFolder;

TEST(RunRecord, leaves_damaged_and_unfinished_lines_out) {
  const ScratchFolder folder;
  std::string damaged = "{\"update\":20}\n";
  damaged[0] ^= 4;
  folder.write("metrics.jsonl", "{\"update\":10}\n" + damaged + "30\n{\"update\":30}\n{\"upd");
  folder.write("validations.jsonl", damaged);
  EXPECT_EQ(run_record(folder.path(), "run"),
            R"({"name":"run","metrics":[{"update":10},{"update":30}],"validations":[]})");
}

TEST(RunRecord, of_a_folder_without_a_run_is_refused) {
  const ScratchFolder folder;
  EXPECT_THROW(run_record(folder.path(), "run"), UsageError);
}

}  // namespace
}  // namespace attune
