// The innermost products of bf16 numbers, in three schemes: one for every CPU, which widens the numbers, and
// two that use instructions for bf16. All read the same layout:
//   A [m, depth]: rows of bf16 numbers, depth a multiple of 32, zeros beyond k
//   B in panels of 32 columns; a panel is [depth / 2, 32, 2]: the numbers 2p and 2p + 1 of each column are
//   neighbours
// Each number of C is one sum over k, whose order depends on the scheme only: not on the number of rows,
// columns or threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "attune/bfloat16.h"

namespace attune {

enum class Bf16Scheme : uint8_t {
  widen,  // f32 multiplications of widened numbers, on any CPU
  dot,    // AVX-512 BF16: products of pairs
  amx,    // AMX: products of tiles of 16 rows
};
std::string_view name(Bf16Scheme scheme);
bool has_bf16_scheme(Bf16Scheme scheme);  // whether this CPU and its system can run it
// The one that products use. ATTUNE_BF16=widen, dot or amx in the environment is a bound, for measurements.
Bf16Scheme fastest_bf16_scheme();

constexpr size_t kBf16Panel = 32;  // columns
constexpr size_t kBf16Depth = 32;  // numbers of a row at a time

// Columns [begin, end) of C[m, n] = A B, or += if accumulate; begin is a multiple of the panel width.
struct Bf16Product {
  size_t m, depth;
  const BFloat16* a;
  size_t a_stride;
  const BFloat16* panels;
  float* c;
  size_t c_stride;
  size_t begin, end;
  bool accumulate;
  bool panels_are_cold = false;  // then they are fetched ahead
};
void multiply_bf16(Bf16Scheme scheme, const Bf16Product& product);

// The schemes, for multiply_bf16().
void multiply_bf16_widen(const Bf16Product& product);
void multiply_bf16_dot(const Bf16Product& product);
void multiply_bf16_amx(const Bf16Product& product);

}  // namespace attune
