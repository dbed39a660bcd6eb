#include "vectors/picture.h"

#include <gtest/gtest.h>
#include <turbojpeg.h>

#include "attune/error.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_error;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Picture read(const std::string& file, int64_t channels) {
  return read_picture(bytes_of(file), channels, "a.png");
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes +=
        static_cast<char>(static_cast<unsigned char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

const std::vector<uint8_t> kColours{255, 0, 0, 0,  255, 0,  0,   0,   255, 255, 255, 255,
                                    0,   0, 0, 10, 20,  30, 128, 128, 128, 200, 100, 50};

// 4 x 2 pixels, written by Python's zlib.
std::string png() {
  return from_hex(
      "89504e470d0a1a0a0000000d4948445200000004000000020802000000f0caea340000001c4944415478da63f8cfc0c000c640"
      "00a4"
      "18b844e41a1a1a4ea4180100784c091559424fd90000000049454e44ae426082");
}

std::string ppm() {
  return "P6 # Büro\n4 2\n255\n" +
         std::string(reinterpret_cast<const char*>(kColours.data()), kColours.size());
}

TEST(Pictures, png_and_ppm_have_the_same_pixels) {
  for (const std::string& file : {png(), ppm()}) {
    EXPECT_TRUE(is_picture(bytes_of(file)));
    const PictureSize size = picture_size(bytes_of(file), "a");
    EXPECT_EQ(size.height, 2);
    EXPECT_EQ(size.width, 4);
    const Picture colours = read(file, 3), grey = read(file, 1);
    EXPECT_EQ(colours.pixels, kColours);
    ASSERT_EQ(grey.pixels.size(), 8u);
    EXPECT_EQ(grey.pixels[3], 255);
    EXPECT_EQ(grey.pixels[4], 0);
    EXPECT_EQ(grey.pixels[6], 128);
  }
}

TEST(Pictures, jpeg_is_nearly_what_was_drawn) {
  std::vector<uint8_t> drawn(16 * 16, 40);
  for (size_t i = 0; i < 128; ++i) drawn[i] = 220;
  tjhandle turbo = tjInitCompress();
  unsigned char* compressed = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): TurboJPEG's
  ASSERT_EQ(tjCompress2(turbo, drawn.data(), 16, 0, 16, TJPF_GRAY, &compressed, &size, TJSAMP_GRAY, 95, 0),
            0);
  const std::string file(reinterpret_cast<const char*>(compressed), size);
  tjFree(compressed);
  tjDestroy(turbo);
  for (const int64_t channels : {1, 3}) {
    const Picture picture = read(file, channels);
    ASSERT_EQ(std::ssize(picture.pixels), 256 * channels);
    EXPECT_NEAR(picture.pixels.front(), 220, 4);
    EXPECT_NEAR(picture.pixels.back(), 40, 4);
  }
  for (size_t n = 3; n < file.size() / 2; n += 7) EXPECT_THROW(read(file.substr(0, n), 1), UsageError) << n;
}

TEST(Pictures, patches_are_squares_from_the_top_left) {
  Picture picture{2, 4, 1, {0, 51, 102, 153, 204, 255, 0, 51}};
  const Vectors rows = patches(picture, 2, "a");
  EXPECT_EQ(rows.rows, 2);
  EXPECT_EQ(rows.width, 4);
  const std::vector<float> expected{0, 0.2f, 0.8f, 1, 0.4f, 0.6f, 0, 0.2f};
  for (size_t i = 0; i < 8; ++i) EXPECT_FLOAT_EQ(rows.numbers[i], expected[i]);
  expect_error([&] { patches(picture, 3, "a"); },
               "a: patches of 3 x 3 pixels do not divide the picture of 4 x 2");
}

TEST(Pictures, damaged_files_are_refused) {
  expect_error([] { read("GIF89a", 1); }, "a.png: this is not a PNG, JPEG, PGM or PPM file");
  expect_error([] { read("P5 4 2 255\nabc", 1); },
               "a.png: the file ends early: 8 bytes of pixels were expected");
  expect_error([] { read("P5 4 x", 1); }, "should have a number here");
  expect_error([] { read("P5 99999999 99999999 255\n", 1); }, "cannot be read");
  expect_error([] { read("P6 1 1 65535\nabcdef", 3); }, "convert it to PNG");
  const std::string whole = png();
  for (size_t n = 8; n + 12 < whole.size(); ++n) EXPECT_THROW(read(whole.substr(0, n), 1), UsageError) << n;
  std::string huge = whole;  // 2^31 - 1 pixels wide
  huge.replace(16, 4, "\x7f\xff\xff\xff");
  EXPECT_THROW(read(huge, 1), UsageError);
}

}  // namespace
}  // namespace attune
