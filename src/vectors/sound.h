// Sound: WAV files, and their log-mel spectrum as rows of numbers, one a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vectors/vectors.h"

namespace attune {

struct Sound {
  int64_t rate = 0;                 // samples a second
  std::vector<float> samples = {};  // -1 to 1, the mean of all channels
};

bool is_wav(std::span<const std::byte> file);

// PCM of 8, 16, 24 or 32 bits, or 32-bit floats. A file that is damaged, cut off or of another kind is a
// UsageError; `name` is the file's.
Sound read_wav(std::span<const std::byte> file, const std::string& name);

struct MelOptions {
  int64_t bands = 40;
  double window = 0.025, step = 0.01;  // seconds
};

int64_t mel_frames(int64_t samples, int64_t rate, const MelOptions& options);

// Each frame under a Hann window -> power spectrum -> triangles that are equally wide on the mel scale,
// 2595 log10(1 + f / 700), from 0 to half the rate -> log. Each band then has mean 0 and deviation 1 over the
// recording.
Vectors log_mel(const Sound& sound, const MelOptions& options, const std::string& name);

}  // namespace attune
