// Vectors: what a model reads in place of tokens: rows of numbers, such as the steps of a series, the patches
// of a picture or the frames of a recording.
#pragma once

#include <cstdint>
#include <vector>

namespace attune {

struct Vectors {
  int64_t rows = 0, width = 0;
  std::vector<float> numbers = {};  // row after row
  int64_t across = 0;               // of a picture: how many patches stand side by side
  std::vector<float> times = {};    // since the first row, if they are known
};

// Each column gets mean 0 and deviation 1 over the rows.
void standardise_columns(Vectors& rows);

}  // namespace attune
