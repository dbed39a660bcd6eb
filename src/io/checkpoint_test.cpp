#include "io/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "attune/error.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_error, testing::get, testing::put, testing::ScratchFolder, testing::SmallDisk;
using Numbers = std::vector<int64_t>;

std::vector<NamedTensor> tensors_of(int64_t number) {
  return {{"values", Tensor::full({100}, static_cast<double>(number))},
          {"moments", Tensor::full({100}, static_cast<double>(-number), DType::f64)}};
}

void save(const CheckpointFolder& folder, int64_t number) {
  folder.save(number, tensors_of(number), "{\"update\":" + std::to_string(number) + "}");
  folder.prune(number);
}

struct Found {
  int64_t number = -1;
  std::vector<std::string> reports;
};

Found find(const CheckpointFolder& folder) {
  Found found;
  const auto latest = folder.latest([&](const std::string& report) { found.reports.push_back(report); });
  if (!latest) return found;
  found.number = latest->number;
  EXPECT_EQ(latest->state, "{\"update\":" + std::to_string(latest->number) + "}");
  for (const auto& [name, expected] : tensors_of(latest->number))
    testing::expect_close(latest->tensors.tensor(name), expected, 0, name);
  return found;
}

TEST(Checkpoints, the_last_few_are_kept_and_the_newest_is_found) {
  const ScratchFolder scratch;
  const CheckpointFolder folder(scratch / "run" / "checkpoints", 2);
  EXPECT_EQ(find(folder).number, -1) << "no folder, no checkpoint";
  for (const int64_t number : {5, 10, 123456789, 20}) {
    save(folder, number);
    EXPECT_EQ(find(folder).number, std::max<int64_t>(number, folder.numbers().back()));
  }
  EXPECT_EQ(folder.numbers(), (Numbers{10, 20, 123456789}));
  EXPECT_TRUE(std::filesystem::exists(scratch / "run" / "checkpoints" / "update-00000010.safetensors"));
}

TEST(Checkpoints, a_damaged_newest_one_is_reported_and_the_one_before_is_taken) {
  const ScratchFolder scratch;
  const CheckpointFolder folder(scratch.path(), 3);
  for (const int64_t number : {1, 2, 3}) save(folder, number);
  const std::string whole = get(folder.path_of(3));
  std::string flipped = whole;
  flipped[whole.size() - 5] ^= 1;
  for (const std::string& damaged :
       {whole.substr(0, 700), whole.substr(0, 100), flipped, std::string("foreign")}) {
    put(folder.path_of(3), damaged);
    const Found found = find(folder);
    EXPECT_EQ(found.number, 2);
    ASSERT_EQ(found.reports.size(), 1u);
    EXPECT_TRUE(found.reports[0].starts_with(folder.path_of(3).string())) << found.reports[0];
  }
  save(folder, 3);
  EXPECT_EQ(find(folder).number, 3);
}

TEST(Checkpoints, a_damaged_one_is_never_kept_in_place_of_a_good_one) {
  const ScratchFolder scratch;
  const CheckpointFolder folder(scratch.path(), 2);
  for (const int64_t number : {1, 2}) save(folder, number);
  put(folder.path_of(2), get(folder.path_of(2)).substr(0, 900));
  save(folder, 3);
  EXPECT_EQ(folder.numbers(), (Numbers{1, 3}));
  std::vector<std::string> reports;
  const auto report = [&](const std::string& text) { reports.push_back(text); };
  EXPECT_EQ(folder.newest(2, report).size(), 2u);
  put(folder.path_of(3), "damaged");
  EXPECT_EQ(folder.newest(2, report).at(0).number, 1);
  EXPECT_EQ(reports.size(), 1u);
}

TEST(Checkpoints, if_all_are_damaged_the_user_has_to_decide) {
  const ScratchFolder scratch;
  const CheckpointFolder folder(scratch.path(), 3);
  put(folder.path_of(1), "");
  write_safetensors(folder.path_of(2), tensors_of(2));
  std::vector<std::string> reports;
  expect_error([&] { (void)folder.latest([&](const auto& report) { reports.push_back(report); }); },
               "none of its 2 checkpoints can be read; move the folder away");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_NE(reports[0].find("this is not a checkpoint of attune"), std::string::npos) << reports[0];
}

TEST(Checkpoints, leftovers_and_files_of_others_are_no_checkpoints) {
  const ScratchFolder scratch;
  const CheckpointFolder folder(scratch.path(), 1);
  put(scratch / ".update-00000009.safetensors.attune-tmp-1-1", "half of one");
  for (const auto* name :
       {"update-00000009.safetensors.bak", "update-9.safetensors", "update-0000000x.safetensors"})
    put(scratch / name, "?");
  EXPECT_EQ(find(folder).number, -1);
  save(folder, 1);
  EXPECT_EQ(find(folder).number, 1);
  EXPECT_EQ(scratch.names().size(), 4u) << "the half of one is gone";
}

TEST(Checkpoints, a_full_disk_leaves_the_former_ones) {
  const ScratchFolder scratch;
  const CheckpointFolder folder(scratch.path(), 1);
  save(folder, 1);
  {
    const SmallDisk disk(1000);
    expect_error([&] { save(folder, 2); }, "update-00000002.safetensors: cannot write it");
  }
  EXPECT_EQ(find(folder).number, 1);
  EXPECT_EQ(scratch.names().size(), 1u);
}

TEST(Checkpoints, kill_at_any_instant_leaves_a_folder_that_loads) {
  const ScratchFolder scratch;
  const CheckpointFolder folder(scratch.path(), 2);
  save(folder, 1);
  for (int round = 0; round < 20; ++round) {
    const int64_t before = folder.numbers().back();
    const pid_t child = fork();
    if (child == 0) {
      try {
        for (int64_t number = before + 1;; ++number) save(folder, number);
      } catch (...) {
        _exit(1);
      }
    }
    int status = 0;
    while (folder.numbers().back() == before && waitpid(child, &status, WNOHANG) == 0)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(977 * round));  // into the next ones
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "saving failed";
    const Found found = find(folder);
    EXPECT_GT(found.number, before);
    EXPECT_TRUE(found.reports.empty()) << found.reports[0];
  }
}

}  // namespace
}  // namespace attune
