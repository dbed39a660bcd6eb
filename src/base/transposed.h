// The numbers of a matrix, column after column instead of row after row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune {

template <class T>
std::vector<T> transposed(std::span<const T> matrix, int64_t rows, int64_t columns) {
  std::vector<T> result;
  result.reserve(matrix.size());
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r) result.push_back(matrix[static_cast<size_t>(r * columns + c)]);
  return result;
}

}  // namespace attune
