// From f32 or bf16 matrices to the operands of product.h.
#pragma once

#include <functional>
#include <variant>

#include "attune/bfloat16.h"
#include "ops/product/gemm.h"

namespace attune {

// An operand before it is rounded, if it is not yet.
using Roundable = std::variant<MatrixOf<const float>, MatrixOf<const BFloat16>>;

// k rounded up to whole blocks of a sum.
int64_t bf16_depth(int64_t k);

// op(a) [m, k] as A: bf16 rows with zeros up to the depth, and a cache line between them.
Tensor rounded(int64_t m, int64_t k, const Roundable& a);
Tensor rounded(const Tensor& x);  // its rows; f32
Tensor in_f32(const Tensor& x);   // bf16 rows as f32 numbers
// The same in memory of the caller, in the calling thread.
int64_t rounded_stride(int64_t k);  // numbers from row to row
void round_here(int64_t m, int64_t k, const Roundable& a, BFloat16* to);

// op(b) [k, n] as B: bf16 [panels, depth * 32]. `packed(begin, end)` is called for columns that were read.
Tensor bf16_panels(int64_t k, int64_t n, const Roundable& b,
                   const std::function<void(int64_t, int64_t)>& packed = {});

}  // namespace attune
