#include "io/files/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attune/error.h"
#include "io/files/temporary.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_error, testing::get, testing::put, testing::ScratchFolder, testing::SmallDisk;
using Names = std::vector<std::string>;

std::string text_of(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(File, is_read_and_mapped_as_it_is) {
  const ScratchFolder folder;
  for (const size_t size : {0, 1, 4096, 300000}) {
    std::string content(size, 'x');
    for (size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * i >> 3);
    put(folder / "f", content);
    EXPECT_EQ(read_file(folder / "f"), content);
    EXPECT_EQ(text_of(*FileBytes::map(folder / "f")), content);
  }
}

TEST(File, what_cannot_be_read_is_refused_by_name) {
  const ScratchFolder folder;
  using Read = std::function<void(const std::filesystem::path&)>;
  for (const Read& read : {Read([](const auto& path) { (void)read_file(path); }),
                           Read([](const auto& path) { (void)FileBytes::map(path); })}) {
    EXPECT_THROW(read(folder / "none"), UsageError);
    expect_error([&] { read(folder / "none"); },
                 (folder / "none").string() + ": cannot open it: No such file");
    EXPECT_THROW(read(folder.path()), UsageError);
  }
  EXPECT_THROW((void)FileBytes::map("/dev/zero"), UsageError);
  put(folder / "large", std::string(2 << 20, 'x'));
  expect_error([&] { (void)read_file(folder / "large", 1 << 20); }, "large: it is larger than 1 MB");
}

TEST(File, a_change_of_mapped_memory_never_reaches_the_file) {
  const ScratchFolder folder;
  put(folder / "f", "abc");
  const auto file = FileBytes::map(folder / "f");
  file->bytes()[0] = std::byte{'X'};
  EXPECT_EQ(text_of(*file), "Xbc");
  EXPECT_EQ(get(folder / "f"), "abc");
}

TEST(AtomicFile, replaces_the_content_when_it_is_committed_and_not_before) {
  const ScratchFolder folder;
  put(folder / "f", "old");
  const auto mapped = FileBytes::map(folder / "f");
  {
    AtomicFile file(folder / "f");
    file.write("ne");
    file.write(std::string(200000, 'w'));
    file.write("!");
    EXPECT_EQ(get(folder / "f"), "old");
    file.commit();
  }
  EXPECT_EQ(get(folder / "f"), "ne" + std::string(200000, 'w') + "!");
  EXPECT_EQ(text_of(*mapped), "old") << "a mapping keeps the file that it was made of";
  EXPECT_EQ(folder.names(), Names{"f"});
}

TEST(AtomicFile, leaves_nothing_behind_unless_it_is_committed) {
  const ScratchFolder folder;
  put(folder / "f", "old");
  {
    AtomicFile file(folder / "f");
    file.write(std::string(200000, 'w'));
    EXPECT_EQ(folder.names().size(), 2u);
  }
  EXPECT_EQ(folder.names(), Names{"f"});
  EXPECT_EQ(get(folder / "f"), "old");
}

TEST(AtomicFile, a_full_disk_is_an_error_that_changes_nothing) {
  const ScratchFolder folder;
  put(folder / "f", "old");
  for (const size_t size : {1001, 200000}) {
    const SmallDisk disk(1000);
    expect_error([&] { write_file_atomically(folder / "f", std::string(size, 'x')); },
                 (folder / "f").string() + ": cannot write it: File too large; the limit");
  }
  EXPECT_EQ(folder.names(), Names{"f"});
  EXPECT_EQ(get(folder / "f"), "old");
}

TEST(AtomicFile, a_place_that_does_not_exist_or_is_taken_by_a_folder_is_an_error) {
  const ScratchFolder folder;
  expect_error([&] { AtomicFile(folder / "none" / "f"); },
               "No such file or directory; does the folder exist?");
  std::filesystem::create_directory(folder / "d");
  expect_error([&] { write_file_atomically(folder / "d", "x"); }, "cannot replace it: Is a directory");
  EXPECT_EQ(folder.names(), Names{"d"});
}

TEST(Temporaries, of_dead_writers_are_removed_and_no_others) {
  const ScratchFolder folder;
  put(folder / ".f.attune-tmp-1-1", "left behind");
  std::filesystem::create_directories(folder / ".d.attune-tmp-1-2" / "deep");
  put(folder / "f.attune-tmp-1", "somebody's file");
  put(folder / ".f", "another");
  AtomicFile writing(folder / "g");
  EXPECT_EQ(remove_stale_temporaries(folder.path()), 2);
  EXPECT_EQ(folder.names().size(), 3u);
  writing.commit();
  EXPECT_EQ(folder.names(), (Names{".f", "f.attune-tmp-1", "g"}));
  EXPECT_EQ(remove_stale_temporaries(folder / "none"), 0);
}

TEST(ReadFile, refuses_devices_and_pipes_that_nobody_writes_to) {
  const ScratchFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_error([&] { read_file(pipe); }, "this is a pipe, and nobody has written to it");
  expect_error([] { read_file("/dev/zero"); }, "this is a device, not a file");
  expect_error([&] { read_file(folder.path()); }, "this is a folder, not a file");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "größe", 7), 7);
  close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "größe");
  close(ends[0]);
}

}  // namespace
}  // namespace attune
