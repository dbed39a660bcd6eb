// A model folder made of another whose matrices have 8 bits a number (tensor/quantized.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attune {

struct QuantizedFolder {
  struct Matrix {
    std::string name;
    double error;      // |W - W'| / |W| with the numbers W' that became of W, as Frobenius norms
    double worst_row;  // the largest of |w - w'| / |w| over the rows
  };
  std::filesystem::path from;
  int64_t bytes_before = 0, bytes_after = 0;  // of the weights
  std::vector<Matrix> matrices = {};
};

// All other files are copied. The folder appears as a whole. A UsageError if `from` is quantised already, or
// `to` is there.
QuantizedFolder quantize_model_folder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace attune
