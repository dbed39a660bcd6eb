#include "text/corpus/line_stream.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "attune/error.h"
#include "testing/scratch.h"
#include "text/corpus/line_file.h"

namespace attune {
namespace {

using testing::ScratchFolder;

std::string written(const ScratchFolder& folder, std::string_view content, bool compressed) {
  const std::string path = folder / (compressed ? "text.gz" : "text");
  const gzFile file = gzopen(path.c_str(), compressed ? "wb" : "wbT");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return path;
}

TEST(LineStream, gives_the_lines_that_a_line_file_has) {
  const ScratchFolder folder;
  const std::string wide(300'000, 'x');  // longer than the buffer
  for (const std::string& content :
       {std::string(), std::string("\n"), std::string("a"), std::string("a\nb\n"), std::string("a\n\nb"),
        std::string("a\r\nb\r\n"), std::string("\xEF\xBB\xBFü\nb\n"), std::string("\xEF\xBB\xBF"),
        std::string("a\rb\n"), "a\n" + wide + "\n" + wide})
    for (const bool compressed : {false, true}) {
      const std::string path = written(folder, content, compressed);
      const LineFile whole(path);
      LineStream stream(path);
      for (int64_t i = 0; i < whole.lines(); ++i) {
        ASSERT_FALSE(stream.ended());
        EXPECT_EQ(stream.number(), i);
        EXPECT_EQ(stream.next(), whole.line(i));
      }
      EXPECT_TRUE(stream.ended());
    }
}

TEST(LineStream, skips_to_a_line_or_to_the_end) {
  const ScratchFolder folder;
  LineStream stream(written(folder, "a\nb\nc\nd", true));
  stream.skip_to(2);
  EXPECT_EQ(stream.next(), "c");
  stream.skip_to(9);
  EXPECT_TRUE(stream.ended());
  EXPECT_EQ(stream.number(), 4);
}

TEST(LineStream, refuses_what_was_cut_off) {
  const ScratchFolder folder;
  std::string noise;
  for (uint32_t i = 1; i < 200'000; ++i) noise += static_cast<char>((i * 2654435761U) >> 24);
  const std::string path = written(folder, noise, true);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THROW(
      {
        LineStream stream(path);
        while (!stream.ended()) stream.next();
      },
      UsageError);
  EXPECT_THROW(LineStream(folder / "none"), UsageError);
}

}  // namespace
}  // namespace attune
