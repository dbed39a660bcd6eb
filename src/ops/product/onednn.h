// oneDNN's matrix products. Built with -D ATTUNE_ONEDNN=OFF, attune has none and its own take their place.
#pragma once

#include <string>

#include "ops/product/gemm.h"

namespace attune {

bool has_onednn();
// Whether each number is added up in the same order however many rows or columns are asked for, so that
// threads do not show in the result. oneDNN's kernels for AVX-512 do so, those for AVX2 do not.
bool onednn_keeps_order();
std::string onednn_version();  // "none" without it

// c = alpha op(a) op(b) + beta c, in the calling thread. An Error without oneDNN.
void onednn_gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                 MatrixOf<float> c, float alpha, float beta);

// For the benchmark: ours are timed beside oneDNN's on all of its threads. op(a) op(b), where op may
// transpose.
Tensor onednn_product(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b);
// x w^T of bf16 numbers, and of bytes: c is i32.
void onednn_bf16_product(const Tensor& x, const Tensor& w, const Tensor& c);
void onednn_int8_product(const Tensor& x, const Tensor& w, const Tensor& c);

}  // namespace attune
