// Arrays in NumPy's .npy format: a header, which is a Python dictionary, then the numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "attune/tensor.h"

namespace attune {

enum class NpyType : uint8_t { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1 };

// The numbers are a part of the bytes that were parsed.
struct NpyArray {
  NpyType type = NpyType::f4;
  std::vector<int64_t> shape;
  bool fortran = false;  // the first index changes fastest
  std::span<const std::byte> numbers;

  int64_t size() const;
};

// Little-endian numbers. A fault is a UsageError that begins with `name`; the length of the numbers is
// exactly what type and shape require.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);

// The bytes of a number, and such numbers as f32; `from` need not be aligned.
size_t bytes_of(NpyType type);
void to_floats(NpyType type, std::span<const std::byte> from, std::span<float> to);

// The numbers as f32 (a copy), in row-major order. An array of more than four dimensions is a UsageError.
Tensor tensor_of(const NpyArray& array, const std::string& name);

}  // namespace attune
