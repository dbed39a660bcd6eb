// The arguments of the kernels in gemm.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tensor/quantized.h"

namespace attune {

// A quantised row:  x = scale p.
struct QuantizedRow {
  float scale, inverse;  // an inverse of 0: all p are 0
  int32_t sum;           // of all p
};

inline QuantizedRow row_of_largest(float largest) {
  constexpr float kSmallest = 1e-36F;  // 127 / largest is still finite
  if (!(largest <= std::numeric_limits<float>::max())) return {std::numeric_limits<float>::quiet_NaN(), 0, 0};
  if (largest < kSmallest) return {0, 0, 0};
  return {largest / kLargestInt8, kLargestInt8 / largest, 0};
}

// Columns [begin, end) of C[m, n] = A[m, k] B.
struct Int8Product {
  size_t k, depth;
  const int8_t* panels;
  const float* scales;
  const float* a;
  size_t a_stride;
  float* c;
  size_t c_stride;
  size_t m, begin, end;
};

}  // namespace attune
