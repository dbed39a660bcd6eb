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
// rounded(x) to be kept for a backward pass: all who keep it share one copy. For numbers that nobody changes.
Tensor shared_rounded(const Tensor& x);
// Rows of bf16 numbers as f32 numbers [rows, width], in the calling thread.
void widen_here(int64_t rows, int64_t width, const BFloat16* from, int64_t stride, float* to);
// Rows of x as A in the memory of x, whose f32 numbers are lost. They have to be 16 numbers apart at least.
Tensor rounded_in_place(const Tensor& x);
// Rows [begin, end) of op(a) in memory of the caller, in the calling thread.
int64_t rounded_stride(int64_t k);  // numbers from row to row
void round_here(int64_t begin, int64_t end, int64_t k, const Roundable& a, BFloat16* to);

// op(b) [k, n] as B: bf16 [panels, depth * 32]. `packed(begin, end)` is called for columns that were read.
Tensor bf16_panels(int64_t k, int64_t n, const Roundable& b,
                   const std::function<void(int64_t, int64_t)>& packed = {});

}  // namespace attune
