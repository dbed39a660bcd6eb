// Pictures: PNG, JPEG and PNM (PGM, PPM) files, and their patches as rows of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vectors/vectors.h"

namespace attune {

struct Picture {
  int64_t height = 0, width = 0, channels = 1;  // 1: grey; 3: red, green, blue
  std::vector<uint8_t> pixels = {};             // [height, width, channels]
};

struct PictureSize {
  int64_t height = 0, width = 0;
};

bool is_picture(std::span<const std::byte> file);

// From the file's beginning alone.
PictureSize picture_size(std::span<const std::byte> file, const std::string& name);

// Converted to that many channels. A file that is damaged, cut off, or has more than 2^26 pixels is a
// UsageError; `name` is the file's.
Picture read_picture(std::span<const std::byte> file, int64_t channels, const std::string& name);

// Dosovitskiy et al. 2021, 3.1: squares of `side` pixels, row after row of the picture, each a row of
// side * side * channels numbers from 0 to 1. A UsageError if they do not divide the picture.
Vectors patches(const Picture& picture, int64_t side, const std::string& name);

}  // namespace attune
