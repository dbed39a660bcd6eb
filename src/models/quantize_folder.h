// Makes a model folder with 8-bit (tensor/quantized.h) or bf16 matrices from another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace attune {

struct QuantizedFolder {
  struct Matrix {
    std::string name;
    double error;      // |W - W'| / |W| for the quantised W', in Frobenius norms
    double worst_row;  // the largest of |w - w'| / |w| over the rows
  };
  std::filesystem::path from;
  int64_t bytes_before = 0, bytes_after = 0;  // of the weights
  std::vector<Matrix> matrices = {};
};

enum class MatrixFormat : uint8_t { int8, bf16 };
std::span<const char* const> enum_names(MatrixFormat);

// All other files are copied. The folder appears whole. A UsageError if `from` is already quantised, or `to`
// exists.
QuantizedFolder quantize_model_folder(const std::filesystem::path& from, const std::filesystem::path& to,
                                      MatrixFormat format = MatrixFormat::int8);

}  // namespace attune
