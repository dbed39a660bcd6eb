#include "io/files/directory.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_error, testing::get, testing::put, testing::ScratchFolder;
using Names = std::vector<std::string>;

void make(const std::filesystem::path& directory, std::string_view content) {
  std::filesystem::create_directories(directory / "deep");
  put(directory / "deep" / "f", content);
}

TEST(AtomicDirectory, appears_as_a_whole_and_replaces_the_one_before) {
  const ScratchFolder folder;
  for (const std::string content : {"first", "second", "third"}) {
    AtomicDirectory directory(folder / "model/");
    make(directory.path(), content);
    if (content != "first") {
      EXPECT_NE(get(folder / "model" / "deep" / "f"), content);
      put(folder / "model" / "only_before", "");
    }
    directory.commit();
    EXPECT_EQ(get(folder / "model" / "deep" / "f"), content);
    EXPECT_FALSE(std::filesystem::exists(folder / "model" / "only_before"));
  }
  EXPECT_EQ(folder.names(), Names{"model"});
}

TEST(AtomicDirectory, leaves_nothing_behind_unless_it_is_committed) {
  const ScratchFolder folder;
  make(folder / "model", "old");
  {
    const AtomicDirectory directory(folder / "model");
    make(directory.path(), "new");
  }
  EXPECT_EQ(folder.names(), Names{"model"});
  EXPECT_EQ(get(folder / "model" / "deep" / "f"), "old");
  expect_error([&] { AtomicDirectory(folder / "none" / "model"); }, "cannot make it: No such file");
}

TEST(AtomicDirectory, replaces_a_link_to_a_directory_without_touching_what_it_points_to) {
  const ScratchFolder folder;
  make(folder / "elsewhere", "kept");
  std::filesystem::create_symlink("elsewhere", folder / "model");
  AtomicDirectory directory(folder / "model");
  make(directory.path(), "new");
  directory.commit();
  EXPECT_EQ(get(folder / "model" / "deep" / "f"), "new");
  EXPECT_EQ(get(folder / "elsewhere" / "deep" / "f"), "kept");
}

TEST(TwoSteps, replace_a_directory_too) {
  const ScratchFolder folder;
  for (const std::string content : {"first", "second"}) {
    make(folder / "from", content);
    replace_in_two_steps(folder / "from", folder / "model");
    EXPECT_EQ(get(folder / "model" / "deep" / "f"), content);
    EXPECT_EQ(folder.names(), Names{"model"});
  }
}

TEST(TwoSteps, that_fail_in_the_second_bring_the_former_directory_back) {
  const ScratchFolder folder;
  make(folder / "model", "old");
  expect_error([&] { replace_in_two_steps(folder / "none", folder / "model"); }, "cannot replace it");
  EXPECT_EQ(folder.names(), Names{"model"});
  EXPECT_EQ(get(folder / "model" / "deep" / "f"), "old");
}

TEST(TwoSteps, a_crash_between_them_leaves_a_directory_that_is_found_and_repaired) {
  const ScratchFolder folder;
  make(folder / ".model.attune-old", "old");
  make(folder / ".model.attune-tmp-1-1", "new");
  EXPECT_EQ(remove_stale_temporaries(folder.path()), 1) << "what was set aside is none";
  EXPECT_EQ(get(present_directory(folder / "model") / "deep" / "f"), "old");
  AtomicDirectory directory(folder / "model");
  make(directory.path(), "newer");
  directory.commit();
  EXPECT_EQ(present_directory(folder / "model"), folder / "model");
  EXPECT_EQ(get(folder / "model" / "deep" / "f"), "newer");
  EXPECT_EQ(folder.names(), Names{"model"});
}

TEST(Directories, are_made_with_those_above_them) {
  const ScratchFolder folder;
  make_directories(folder / "a/日本/c/");
  make_directories(folder / "a/日本/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/日本/c"));
  put(folder / "file", "");
  expect_error([&] { make_directories(folder / "file"); }, "file: cannot make it: Not a directory");
  expect_error([&] { make_directories(folder / "file/inner"); }, "Not a directory");
}

}  // namespace
}  // namespace attune
