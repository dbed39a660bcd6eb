#include "vectors/sound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "testing/golden.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_error;

std::string number(uint32_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  return text;
}

struct Wav {
  uint32_t encoding = 1, channels = 1, rate = 8000, bits = 16;
  std::string data = {};

  std::string file() const {
    const std::string format = number(encoding, 2) + number(channels, 2) + number(rate, 4) +
                               number(rate * channels * bits / 8, 4) + number(channels * bits / 8, 2) +
                               number(bits, 2);
    const std::string chunks = "WAVEfmt " + number(16, 4) + format + "LIST" + number(3, 4) + "abc" +
                               std::string(1, '\0') + "data" + number(static_cast<uint32_t>(data.size()), 4) +
                               data;
    return "RIFF" + number(static_cast<uint32_t>(chunks.size()), 4) + chunks;
  }
};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Sound read(const std::string& file) { return read_wav(bytes_of(file), "a.wav"); }

TEST(Sound, every_kind_of_wav_has_the_same_numbers) {
  const std::vector<float> expected{0, 0.5f, -0.5f, -1};
  const auto with = [](uint32_t encoding, uint32_t bits, const std::vector<uint32_t>& values) {
    Wav wav{.encoding = encoding, .bits = bits};
    for (const uint32_t value : values) wav.data += number(value, bits / 8);
    return read(wav.file()).samples;
  };
  EXPECT_EQ(with(1, 8, {128, 192, 64, 0}), expected);
  EXPECT_EQ(with(1, 16, {0, 0x4000, 0xC000, 0x8000}), expected);
  EXPECT_EQ(with(1, 24, {0, 0x400000, 0xC00000, 0x800000}), expected);
  EXPECT_EQ(with(1, 32, {0, 0x40000000, 0xC0000000, 0x80000000}), expected);
  EXPECT_EQ(with(3, 32, {0, 0x3F000000, 0xBF000000, 0xBF800000}), expected);
}

TEST(Sound, channels_are_averaged) {
  const Wav wav{.channels = 2,
                .data = number(0x4000, 2) + number(0, 2) + number(0x8000, 2) + number(0x4000, 2)};
  EXPECT_EQ(read(wav.file()).samples, (std::vector<float>{0.25f, -0.25f}));
}

TEST(Sound, a_recording_of_unknown_size_goes_on_to_the_end) {
  std::string file = Wav{.data = number(0x4000, 2)}.file();
  file.replace(file.size() - 6, 4, number(0xFFFFFFFF, 4));
  EXPECT_EQ(read(file).samples, (std::vector<float>{0.5f}));
}

TEST(Sound, damaged_files_are_refused) {
  const std::string file = Wav{.data = std::string(100, 'x')}.file();
  expect_error([&] { read("RIFF"); }, "a.wav: this is not a WAV file");
  expect_error([&] { read(file.substr(0, file.size() - 1)); },
               "a.wav: the file ends early: byte 48 announces 100 bytes");
  expect_error([&] { read(file.substr(0, 40)); }, "a.wav: the WAV file has no sound");
  expect_error([&] { read(Wav{.encoding = 85, .data = "abc"}.file()); },
               "encoding 85 with 16 bits cannot be read");
  expect_error([&] { read(Wav{.encoding = 3, .bits = 32, .data = number(0x7FC00000, 4)}.file()); },
               "sample 0 is not a number");
  for (size_t n = 0; n < file.size(); ++n) EXPECT_THROW(read(file.substr(0, n)), UsageError) << n;
}

TEST(Sound, log_mel_is_that_of_numpy) {
  std::ifstream stream(testing::golden("log_mel.json"));
  const auto golden = nlohmann::json::parse(stream);
  Sound sound{8000, {}};
  for (const int sample : golden["samples"]) sound.samples.push_back(static_cast<float>(sample) / 32768.f);
  const Vectors rows = log_mel(sound, {.bands = 12}, "chirp");
  const auto frames = golden["frames"].get<std::vector<std::vector<double>>>();
  ASSERT_EQ(rows.rows, std::ssize(frames));
  ASSERT_EQ(rows.rows, mel_frames(1000, 8000, {}));
  ASSERT_EQ(rows.width, 12);
  for (int64_t r = 0; r < rows.rows; ++r)
    for (int64_t c = 0; c < rows.width; ++c)
      EXPECT_NEAR(rows.numbers[static_cast<size_t>(r * rows.width + c)],
                  frames[static_cast<size_t>(r)][static_cast<size_t>(c)], 1e-4);
  expect_error(
      [] {
        log_mel({8000, std::vector<float>(199)}, {}, "short");
      },
      "short: the recording is shorter than a frame of 25 ms");
}

}  // namespace
}  // namespace attune
