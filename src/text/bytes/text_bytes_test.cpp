#include "text/bytes/text_bytes.h"

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "attune/error.h"
#include "base/descriptor.h"
#include "testing/scratch.h"
#include "text/bytes/compression.h"

namespace attune {
namespace {

using testing::ScratchFolder;

constexpr std::string_view kText = "Grüße, 世界 🙂\nzweite Zeile\n";

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string xzed(std::string_view text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()),
                          text.size(), reinterpret_cast<uint8_t*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

std::string zstded(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

using Pack = std::string (*)(std::string_view);
constexpr std::pair<const char*, Pack> kPacks[] = {{"gzip", gzipped}, {"xz", xzed}, {"zstd", zstded}};

std::string read_all(TextBytes& text, size_t at_once = 1 << 16) {
  std::string all;
  std::vector<char> buffer(at_once);
  while (const size_t got = text.read(buffer)) all.append(buffer.data(), got);
  return all;
}

std::string text_of(std::string_view content, size_t at_once = 1 << 16) {
  const ScratchFolder folder;
  const std::string path = folder.write("file", content);
  const Descriptor file = open_to_read(path);
  TextBytes text(file.number(), path);
  return read_all(text, at_once);
}

std::string refusal(std::string_view content) {
  try {
    text_of(content);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    return text.substr(text.find("file: ") + 6);
  }
  return "accepted";
}

TEST(TextBytes, every_compression_gives_the_text_back_however_it_is_read) {
  for (const auto& [name, pack] : kPacks)
    for (const size_t at_once : {size_t{1}, size_t{3}, size_t{1} << 16})
      EXPECT_EQ(text_of(pack(kText), at_once), kText) << name;
  EXPECT_EQ(text_of(kText), kText);
  EXPECT_EQ(text_of(""), "");
}

TEST(TextBytes, files_that_were_joined_are_one_and_empty_ones_are_empty) {
  for (const auto& [name, pack] : kPacks) {
    EXPECT_EQ(text_of(pack("a\n") + pack("b\n")), "a\nb\n") << name;
    EXPECT_EQ(text_of(pack("")), "") << name;
  }
}

TEST(TextBytes, what_was_cut_off_anywhere_or_damaged_is_refused) {
  std::string noise;
  for (uint32_t i = 1; i < 3000; ++i) noise += static_cast<char>((i * 2654435761U) >> 24);
  for (const auto& [name, pack] : kPacks) {
    const std::string whole = pack(noise);
    for (size_t size = 7; size < whole.size(); size += 97)
      EXPECT_EQ(refusal(whole.substr(0, size)), "the compressed file is incomplete; it was cut off") << name;
    std::string other = whole;
    for (size_t i = other.size() / 2; i < other.size() / 2 + 20; ++i) other[i] = static_cast<char>(~other[i]);
    // zstd writes no checksum unless it is asked to, and noise is stored as it is.
    if (pack != zstded) {
      EXPECT_TRUE(refusal(other).starts_with("the compressed file is damaged (")) << name;
    }
  }
}

TEST(TextBytes, a_bomb_streams_in_constant_memory) {
  const std::string zeros(1 << 20, '\0');
  std::string bomb;
  for (int i = 0; i < 200; ++i) bomb += zstded(zeros);
  EXPECT_LT(bomb.size(), 20'000);
  const ScratchFolder folder;
  const std::string path = folder.write("bomb.zst", bomb);
  const Descriptor file = open_to_read(path);
  TextBytes text(file.number(), path);
  std::vector<char> buffer(4096);
  size_t bytes = 0;
  while (const size_t got = text.read(buffer)) bytes += got;
  EXPECT_EQ(bytes, 200U << 20);
}

TEST(TextBytes, a_window_above_128_mb_is_refused) {
  // A frame header that asks for 2 GB: magic, descriptor 0, window descriptor with exponent 21.
  EXPECT_NE(refusal(std::string("\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00", 9)).find("window above 128 MB"),
            std::string::npos);
}

TEST(TextBytes, utf_16_becomes_utf_8_and_marks_are_skipped) {
  const std::string little("\xFF\xFE\x47\x00\xFC\x00\x3D\xD8\x42\xDE\x0A\x00", 12);  // "Gü🙂\n"
  const std::string big("\xFE\xFF\x00\x47\x00\xFC\xD8\x3D\xDE\x42\x00\x0A", 12);
  for (const size_t at_once : {size_t{1}, size_t{2}, size_t{100}}) {
    EXPECT_EQ(text_of(little, at_once), "Gü🙂\n");
    EXPECT_EQ(text_of(big, at_once), "Gü🙂\n");
    EXPECT_EQ(text_of(xzed(little), at_once), "Gü🙂\n");
  }
  EXPECT_EQ(text_of("\xEF\xBB\xBFü"), "ü");
  EXPECT_EQ(text_of(gzipped("\xEF\xBB\xBFü")), "ü");
  EXPECT_NE(refusal(std::string("\xFF\xFE\0\0a\0\0\0", 8)).find("UTF-32"), std::string::npos);
}

TEST(TextBytes, half_a_character_of_utf_16_becomes_bytes_that_are_not_utf_8) {
  EXPECT_EQ(text_of(std::string("\xFF\xFE\x3D\xD8\x41\x00", 6)),
            "\xED\xA0\xBD"
            "A");
  EXPECT_EQ(text_of(std::string("\xFF\xFE\x41\x00\x3D\xD8", 6)), "A\xED\xA0\xBD");
  EXPECT_EQ(text_of(std::string("\xFF\xFE\x41\x00\x42", 5)), "A\xFF");
}

TEST(TextBytes, long_utf_16_text_crosses_the_edges_of_what_is_read_at_once) {
  std::string utf16("\xFF\xFE", 2), utf8;
  for (int i = 0; i < 50'000; ++i) {
    utf16 += std::string("\x3D\xD8\x42\xDE\x41\x00", i % 3 == 0 ? 6 : 4);
    utf8 += i % 3 == 0 ? "🙂A" : "🙂";
  }
  EXPECT_EQ(text_of(utf16, 1000), utf8);
}

TEST(TextBytes, looks_ahead_without_losing_anything) {
  const ScratchFolder folder;
  const std::string path = folder.write("f", zstded(kText));
  const Descriptor file = open_to_read(path);
  TextBytes text(file.number(), path);
  EXPECT_TRUE(text.packed());
  EXPECT_EQ(text.peek(3), kText.substr(0, 3));
  EXPECT_EQ(text.peek(1000), kText);
  EXPECT_EQ(read_all(text, 5), kText);
}

TEST(Compression, extensions_are_taken_off) {
  EXPECT_EQ(without_compression("a.tmx.xz"), "a.tmx");
  EXPECT_EQ(without_compression("a.csv.zst"), "a.csv");
  EXPECT_EQ(without_compression("a.tar"), "a.tar");
}

}  // namespace
}  // namespace attune
