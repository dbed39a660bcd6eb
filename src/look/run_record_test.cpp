#include "look/run_record.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

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

TEST(RunRecord, can_be_thinned_to_what_aligns) {
  const testing::ScratchFolder folder;
  std::ofstream(folder / "metrics.jsonl") << "";
  const nlohmann::json attention{{"layers", {{{"kind", "encoder"}}, {{"kind", "cross"}, {"layer", 1}}}},
                                 {"tree", {1, 2}}};
  std::ofstream(folder / "validations.jsonl")
      << nlohmann::json{{"update", 5}, {"attention", attention.dump()}}.dump() << "\n"
      << R"({"update":6,"attention":""})"
      << "\n";
  const auto record = nlohmann::json::parse(run_record(folder.path(), "run", RunDetail::alignment));
  const auto first = nlohmann::json::parse(record["validations"][0]["attention"].get<std::string>());
  EXPECT_EQ(first["layers"], nlohmann::json::parse(R"([{"kind":"cross","layer":1}])"));
  EXPECT_FALSE(first.contains("tree"));
  EXPECT_EQ(record["validations"][1]["update"], 6);
}

}  // namespace
}  // namespace attune
