// The inner loops of additive attention in f32 on the rows of one sentence, vectorised. They run in the
// calling thread, and every row's sums have a fixed order.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/product/gemm.h"

namespace attune {

struct AdditiveScore {  // of `queries` rows with `keys` rows, all n wide
  MatrixOf<const float> query;
  int64_t queries;
  MatrixOf<const float> key;
  int64_t keys;
  const float* v;
  int64_t n;
};

// energy_ij = sum_c v_c tanh(query_ic + key_jc); energy is [queries, keys].
void additive_energies(const AdditiveScore& score, float* energy, std::vector<float>& scratch);

// From denergy [queries, keys], with t = tanh(query_i + key_j):
//   dquery_i = v sum_j denergy_ij (1 - t^2),   dkey_j += v sum_i denergy_ij (1 - t^2),
//   dv = sum_ij denergy_ij t
struct AdditiveGradients {
  MatrixOf<float> query, key;
  float* v;
};
void additive_gradients(const AdditiveScore& score, const float* denergy, const AdditiveGradients& gradients,
                        std::vector<float>& scratch);

// c [m, n] = op(a) [m, k] b [k, n], or += if accumulate.
void small_product(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                   MatrixOf<float> c, bool accumulate = false);

// c_ij = a_i . b_j for rows of n numbers; c is [a_rows, b_rows].
void row_products(int64_t a_rows, int64_t b_rows, int64_t n, MatrixOf<const float> a, MatrixOf<const float> b,
                  float* c);

}  // namespace attune
