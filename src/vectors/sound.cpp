#include "vectors/sound.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "attune/error.h"

namespace attune {
namespace {

using Complex = std::complex<double>;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw UsageError(fmt::format("{}: {}", name, what));
}

uint32_t little_endian(std::span<const std::byte> bytes, size_t at, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) number |= std::to_integer<uint32_t>(bytes[at + i]) << (8 * i);
  return number;
}

bool has_name(std::span<const std::byte> file, size_t at, const char* four) {
  return file.size() >= at + 4 && std::memcmp(file.data() + at, four, 4) == 0;
}

enum Encoding : uint32_t { pcm = 1, floats = 3, extensible = 0xFFFE };

struct Format {
  uint32_t encoding = 0, channels = 0, rate = 0, bits = 0;

  float sample(std::span<const std::byte> bytes, size_t at) const {
    if (encoding == floats) return std::bit_cast<float>(little_endian(bytes, at, 4));
    if (bits == 8) return (static_cast<float>(little_endian(bytes, at, 1)) - 128.f) / 128.f;
    const uint32_t left = little_endian(bytes, at, bits / 8) << (32 - bits);  // with its sign on top
    return static_cast<float>(static_cast<int32_t>(left)) / 2147483648.f;
  }
};

Format parse_format(std::span<const std::byte> chunk, const std::string& name) {
  if (chunk.size() < 16) refuse(name, "the WAV file is damaged: its format has less than 16 bytes");
  Format format{little_endian(chunk, 0, 2), little_endian(chunk, 2, 2), little_endian(chunk, 4, 4),
                little_endian(chunk, 14, 2)};
  if (format.encoding == extensible && chunk.size() >= 26) format.encoding = little_endian(chunk, 24, 2);
  const uint32_t bits = format.bits;
  const bool known = (format.encoding == pcm && (bits == 8 || bits == 16 || bits == 24 || bits == 32)) ||
                     (format.encoding == floats && bits == 32);
  if (!known)
    refuse(name, fmt::format("WAV files of encoding {} with {} bits cannot be read; convert it to 16-bit PCM",
                             format.encoding, bits));
  if (format.channels == 0 || format.channels > 64 || format.rate < 1000 || format.rate > 1'000'000)
    refuse(name, fmt::format("the WAV file is damaged: {} channels, {} samples a second", format.channels,
                             format.rate));
  return format;
}

// The discrete Fourier transform of a power of two of numbers, in place (Cooley and Tukey 1965).
void transform(std::vector<Complex>& x) {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t length = 2; length <= n; length *= 2) {
    const Complex turn = std::polar(1.0, -2 * std::numbers::pi / static_cast<double>(length));
    for (size_t first = 0; first < n; first += length) {
      Complex w = 1;
      for (size_t i = first; i < first + length / 2; ++i, w *= turn) {
        const Complex a = x[i], b = w * x[i + length / 2];
        x[i] = a + b;
        x[i + length / 2] = a - b;
      }
    }
  }
}

double mel(double frequency) { return 2595 * std::log10(1 + frequency / 700); }

// For each band its weights for the lines 0 .. n / 2 of a spectrum of n points.
std::vector<std::vector<double>> mel_bands(int64_t bands, int64_t points, double rate) {
  std::vector<std::vector<double>> all;
  const double step = mel(rate / 2) / static_cast<double>(bands + 1);
  for (int64_t b = 1; b <= bands; ++b) {
    std::vector<double> band;
    for (int64_t line = 0; line <= points / 2; ++line) {
      const double frequency = static_cast<double>(line) * rate / static_cast<double>(points);
      band.push_back(std::max(0.0, 1 - std::abs(mel(frequency) / step - static_cast<double>(b))));
    }
    all.push_back(std::move(band));
  }
  return all;
}

int64_t in_samples(double seconds, int64_t rate) {
  return std::max<int64_t>(1, std::llround(seconds * static_cast<double>(rate)));
}

}  // namespace

bool is_wav(std::span<const std::byte> file) {
  return has_name(file, 0, "RIFF") && has_name(file, 8, "WAVE");
}

Sound read_wav(std::span<const std::byte> file, const std::string& name) {
  if (!is_wav(file)) refuse(name, "this is not a WAV file");
  Format format;
  for (size_t at = 12; at + 8 <= file.size();) {
    const size_t size = little_endian(file, at + 4, 4), first = at + 8;
    const bool is_data = has_name(file, at, "data");
    // A program that writes to a pipe does not know the size: then the data go on to the end.
    const bool open_end = is_data && (size == 0 || size == 0xFFFFFFFF);
    if (!open_end && size > file.size() - first)
      refuse(name, fmt::format("the file ends early: byte {} announces {} bytes, but there are {}", at, size,
                               file.size() - first));
    const auto chunk = file.subspan(first, open_end ? file.size() - first : size);
    if (has_name(file, at, "fmt ")) format = parse_format(chunk, name);
    if (is_data) {
      if (format.channels == 0) refuse(name, "the WAV file is damaged: sound before its format");
      const size_t bytes = format.bits / 8, frame = bytes * format.channels;
      Sound sound{format.rate, std::vector<float>(chunk.size() / frame)};
      for (size_t i = 0; i < sound.samples.size(); ++i) {
        float sum = 0;
        for (size_t c = 0; c < format.channels; ++c) sum += format.sample(chunk, i * frame + c * bytes);
        sound.samples[i] = sum / static_cast<float>(format.channels);
        if (!std::isfinite(sound.samples[i])) refuse(name, fmt::format("sample {} is not a number", i));
      }
      return sound;
    }
    at = first + size + size % 2;
  }
  refuse(name, "the WAV file has no sound");
}

int64_t mel_frames(int64_t samples, int64_t rate, const MelOptions& options) {
  const int64_t window = in_samples(options.window, rate);
  return samples < window ? 0 : 1 + (samples - window) / in_samples(options.step, rate);
}

Vectors log_mel(const Sound& sound, const MelOptions& options, const std::string& name) {
  const int64_t window = in_samples(options.window, sound.rate), step = in_samples(options.step, sound.rate);
  const auto points = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window)));
  Vectors rows{mel_frames(std::ssize(sound.samples), sound.rate, options), options.bands};
  if (rows.rows == 0)
    refuse(name, fmt::format("the recording is shorter than a frame of {:.0f} ms", 1000 * options.window));
  const auto bands = mel_bands(options.bands, points, static_cast<double>(sound.rate));
  std::vector<Complex> spectrum;
  for (int64_t frame = 0; frame < rows.rows; ++frame) {
    spectrum.assign(static_cast<size_t>(points), 0);
    for (int64_t i = 0; i < window; ++i) {
      const double hann =
          0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(window));
      spectrum[static_cast<size_t>(i)] = hann * sound.samples[static_cast<size_t>(frame * step + i)];
    }
    transform(spectrum);
    for (const std::vector<double>& band : bands) {
      double energy = 0;
      for (size_t line = 0; line < band.size(); ++line) energy += band[line] * std::norm(spectrum[line]);
      rows.numbers.push_back(static_cast<float>(std::log(energy + 1e-10)));
    }
  }
  standardise_columns(rows);
  return rows;
}

}  // namespace attune
