#include "io/tensorboard.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::get, testing::ScratchFolder, testing::SmallDisk;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

// The expected bytes were put together by hand in Python from the numbers of the fields in TensorBoard's
// .proto files, with a CRC-32C that goes bit by bit.
TEST(TensorBoard, events_have_the_bytes_that_they_should) {
  EXPECT_EQ(hex(scalar_record("loss", 300, 0.25, 1.5)),
            "1b000000000000001a0d9e13"        // 27 bytes
            "09000000000000f83f10ac02"        // at 1.5, step 300
            "2a0d0a0b0a046c6f7373150000803e"  // summary: value: "loss", 0.25
            "9908deed");
  EXPECT_EQ(hex(text_record("t", 300, "hi", 1.5)),
            "2b00000000000000861bc34b"
            "09000000000000f83f10ac02"
            "2a1d0a1b0a0174"                // summary: value: "t"
            "420c080712041202080142026869"  // tensor: strings, [1], "hi"
            "4a080a060a0474657874"          // plugin "text"
            "d854fefc");
  EXPECT_EQ(hex(start_records(300, 1.5)),
            "1a00000000000000129bd82d09000000000000f83f10001a0d627261696e2e4576656e743a32d3dc531e"
            "100000000000000095fbfe1809000000000000f83f10ac023a020801713b788a");
}

TEST(TensorBoard, each_writer_has_a_file_of_its_own_that_is_complete_after_each_event) {
  const ScratchFolder folder;
  EventWriter first(folder / "logs"), second(folder / "logs", 7);
  first.scalar("loss", 1, 2.5, 1.5);
  first.text("note", 2, "*hello*", 1.5);
  std::vector<std::string> contents;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "logs")) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("events.out.tfevents."));
    contents.push_back(get(entry.path()));
  }
  std::ranges::sort(contents, {}, &std::string::size);
  ASSERT_EQ(contents.size(), 2u);
  EXPECT_TRUE(
      contents[1].ends_with(scalar_record("loss", 1, 2.5, 1.5) + text_record("note", 2, "*hello*", 1.5)));
}

TEST(TensorBoard, a_full_disk_leaves_no_part_of_an_event) {
  const ScratchFolder folder;
  EventWriter writer(folder.path());
  const std::string before = get(folder / folder.names()[0]);
  {
    const SmallDisk disk(before.size() + 5);
    EXPECT_THROW(writer.scalar("loss", 1, 2.5), Error);
  }
  EXPECT_EQ(get(folder / folder.names()[0]), before);
  writer.scalar("loss", 2, 2.5, 1.5);
  EXPECT_EQ(get(folder / folder.names()[0]), before + scalar_record("loss", 2, 2.5, 1.5));
}

}  // namespace
}  // namespace attune
