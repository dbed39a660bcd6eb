#include "text/corpus/line_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>
#include <thread>

#include "attune/error.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::ScratchFolder;

std::vector<std::string> lines_of(const LineFile& file) {
  std::vector<std::string> lines;
  for (int64_t i = 0; i < file.lines(); ++i) lines.push_back(file.line(i));
  return lines;
}

std::string refusal(const std::string& path) {
  try {
    const LineFile file(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string compressed(const ScratchFolder& folder, const char* name, std::string_view content) {
  const std::string path = folder / name;
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return path;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Lines = std::vector<std::string>;

TEST(LineFile, splits_lines_in_all_the_ways_they_end) {
  const ScratchFolder folder;
  const std::pair<std::string_view, Lines> cases[] = {{"", {}},
                                                      {"\n", {""}},
                                                      {"a", {"a"}},
                                                      {"a\nb\n", {"a", "b"}},
                                                      {"a\n\nb", {"a", "", "b"}},
                                                      {"a\r\nb\r\n", {"a", "b"}},
                                                      {"a\r\nb\r", {"a", "b"}},
                                                      {"\xEF\xBB\xBFü\nb\n", {"ü", "b"}},
                                                      {"\xEF\xBB\xBF", {}},
                                                      {"a\rb\n", {"a\rb"}}};
  for (const auto& [content, lines] : cases)
    EXPECT_EQ(lines_of(LineFile(folder.write("f", content))), lines) << content;
}

TEST(LineFile, lines_may_cross_the_edges_of_what_is_read_at_once) {
  const ScratchFolder folder;
  Lines lines;
  std::string content;
  for (int i = 0; i < 3000; ++i) {
    lines.push_back(std::string(static_cast<size_t>(i * 7919 % 600), static_cast<char>('a' + i % 26)));
    content += lines.back() + "\n";
  }
  EXPECT_EQ(lines_of(LineFile(folder.write("f", content))), lines);
  EXPECT_EQ(lines_of(LineFile(compressed(folder, "f.gz", content))), lines);
}

TEST(LineFile, compressed_files_are_known_by_their_content_and_may_be_joined) {
  const ScratchFolder folder;
  const std::string two =
      content_of(compressed(folder, "1", "a\n")) + content_of(compressed(folder, "2", "b\n"));
  const LineFile file(folder.write("no_extension", two));
  EXPECT_EQ(lines_of(file), (Lines{"a", "b"}));
  EXPECT_TRUE(file.copied());
  EXPECT_EQ(lines_of(LineFile(folder.write("plain.gz", "not compressed\n"))), Lines{"not compressed"});
}

TEST(LineFile, pipes_are_read_while_a_thread_writes) {
  const ScratchFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "a\nb\n"; });
  EXPECT_EQ(lines_of(LineFile(path)), (Lines{"a", "b"}));
  writer.join();
}

TEST(LineFile, says_what_cannot_be_read) {
  const ScratchFolder folder;
  EXPECT_EQ(refusal(folder / "none"), (folder / "none").string() + ": there is no such file");
  EXPECT_EQ(refusal(folder / ""), (folder / "").string() + ": this is a folder; a text file was expected");

  std::string content = "begin\n";
  for (int i = 0; i < 20000; ++i) content += std::to_string(i * 7919 % 10007) + "\n";
  std::string gz = content_of(compressed(folder, "whole.gz", content));
  const std::string cut = folder.write("cut.gz", gz.substr(0, gz.size() / 2));
  EXPECT_EQ(refusal(cut), cut + ": the compressed file is incomplete; it was cut off");
  for (size_t i = gz.size() / 2; i < gz.size() / 2 + 40; ++i) gz[i] = static_cast<char>(gz[i] ^ 0x55);
  const std::string damaged = folder.write("damaged.gz", gz);
  EXPECT_EQ(refusal(damaged).find(damaged + ": the compressed file is damaged"), 0u) << refusal(damaged);

  const std::string binary = folder.write("binary", "a\n");
  std::filesystem::resize_file(binary, 70 << 20);
  EXPECT_EQ(refusal(binary),
            binary + ": line 2 has more than 64 MB; is this a text file with one sentence per line?");
}

TEST(LineFile, a_file_that_shrinks_is_an_error_and_no_crash) {
  const ScratchFolder folder;
  const std::string path = folder.write("f", std::string(1 << 20, 'a') + "\nb\n");
  const LineFile file(path);
  std::filesystem::resize_file(path, 10);
  EXPECT_THROW(file.line(1), Error);
  EXPECT_THROW(file.line(2), Error);
  EXPECT_THROW(file.line(-1), Error);
}

TEST(LineFile, may_be_read_from_several_threads) {
  const ScratchFolder folder;
  std::string content;
  for (int i = 0; i < 1000; ++i) content += std::to_string(i) + "\n";
  const LineFile file(folder.write("f", content));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) EXPECT_EQ(file.line(i), std::to_string(i));
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(LineFile, paragraphs_end_at_blank_lines) {
  const ScratchFolder folder;
  const std::pair<std::string_view, Lines> cases[] = {
      {"", {}},
      {"\n \t\n\n", {}},
      {"a", {"a"}},
      {"\n\na\nb\n\n\nc\n", {"a\nb", "c"}},
      {"床前明月光\r\n疑是地上霜\r\n\r\n举头望明月", {"床前明月光\n疑是地上霜", "举头望明月"}},
      {"\xEF\xBB\xBFü\n  \n b \n", {"ü", " b "}}};
  for (const auto& [content, paragraphs] : cases) {
    const LineFile file(folder.write("text", content), FileUnit::paragraph);
    EXPECT_EQ(lines_of(file), paragraphs) << content;
  }
  const LineFile file(folder.write("text", "\na\nb\n\n\nc\n"), FileUnit::paragraph);
  EXPECT_EQ(file.first_line(0), 1);
  EXPECT_EQ(file.first_line(1), 5);
}

TEST(LineFile, a_very_long_paragraph_ends_with_a_line) {
  const ScratchFolder folder;
  std::string content;
  while (content.size() < 3 << 20) content += std::string(999, 'a') + '\n';
  const LineFile file(folder.write("text", content), FileUnit::paragraph);
  EXPECT_EQ(file.lines(), 3);
  std::string all;
  for (const std::string& text : lines_of(file)) all += text + '\n';
  EXPECT_EQ(all, content);
}

}  // namespace
}  // namespace attune
