// Every operation: differentiable where it can be, on ragged batches, in f32 (fast) or f64 (reference).
// Shapes stand behind the declarations; `tokens` is all sentences of a batch laid end to end. A shape that
// does not fit is an Error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "attune/lens.h"
#include "attune/random.h"
#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

// Zeroes a share `p` of the numbers and scales the others by 1 / (1 - p). p = 0 does nothing.
struct Dropout {
  double p = 0;
  Random random;
};

enum class Activation : uint8_t { none, relu, gelu, silu, tanh, sigmoid };
std::string_view name(Activation activation);

// ---- Products
Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a = false,
              bool transpose_b = false);  // [m, k] [k, n] -> [m, n]; [b, m, k] [b, k, n] -> [b, m, n]
// activation(x weight^T + bias)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              Activation activation = Activation::none);  // [.., in] [out, in] [out] -> [.., out]

// ---- Rows and columns
Tensor embedding(const Tensor& table, const Tensor& ids, double scale = 1);  // [v, d] i32 [n] -> [n, d]
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor slice_rows(const Tensor& x, int64_t begin, int64_t end);  // [n, d] -> [end - begin, d]
Tensor concat_rows(std::span<const Tensor> parts);               // [n_i, d] -> [sum n_i, d]
Tensor concat_columns(std::span<const Tensor> parts);            // [n, d_i] -> [n, sum d_i]
inline Tensor concat_columns(std::initializer_list<Tensor> parts) {
  return concat_columns(std::span(parts.begin(), parts.size()));
}
std::vector<Tensor> split_columns(const Tensor& x, std::span<const int64_t> sizes);

// ---- Element by element
Tensor add(const Tensor& a, const Tensor& b);  // b: the shape of a, or one row [d]
Tensor mul(const Tensor& a, const Tensor& b);  // likewise
Tensor scale(const Tensor& x, double factor);
Tensor activate(const Tensor& x, Activation activation);
Tensor dropout(const Tensor& x, const Dropout& dropout);
Tensor sum(const Tensor& x);  // [..] -> []

// ---- Normalised exponentials over the last dimension. A row of -inf throughout gives zeros (softmax) or
// -inf.
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);

// ---- Norms over the last dimension: gamma (x - mean) / sqrt(var + eps) + beta, and gamma x / sqrt(mean(x^2)
// + eps)
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps = 1e-5);
Tensor rms_norm(const Tensor& x, const Tensor& gamma, double eps = 1e-5);
struct ResidualNorm {
  Tensor sum;     // residual + dropout(x)
  Tensor normed;  // its layer norm, or its RMS norm if beta is undefined
};
ResidualNorm residual_norm(const Tensor& x, const Tensor& residual, const Tensor& gamma, const Tensor& beta,
                           const Dropout& dropout = {}, double eps = 1e-5);

// ---- Positions
// Each head of x turned by its token's position; `table` [positions, head size] holds cosines, then sines.
Tensor rotary(const Tensor& x, const Tensor& positions,
              const Tensor& table);  // [tokens, heads d] i32 [tokens]

// ---- Attention
struct AttentionOptions {
  int heads = 1;
  bool causal = false;  // query i of n sees the keys 0 .. i + (m - n) of m: the last query sees all
  double scale = 0;     // of the scores; 0 means 1 / sqrt(d)
  Tensor slopes = {};   // ALiBi [heads]: adds -slope |distance| to the scores; not learned
  Tensor places = {};  // i32 [keys]: the row of k and v where each key lies; not while gradients are recorded
  Dropout dropout = {};  // of the weights
  Lens* lens = nullptr;
  std::string_view name = "attention";
};
// softmax(scale q k^T + bias) v, head by head, sentence by sentence
Tensor attention(
    const Tensor& q, const Tensor& k, const Tensor& v, const Rows& queries, const Rows& keys,
    const AttentionOptions& options);  // [tokens, heads d] x2, [tokens, heads e] -> [tokens, heads e]
// Bahdanau: sum_j softmax_j(v^T tanh(query_i + key_j)) value_j, fused
Tensor additive_attention(const Tensor& query, const Tensor& key, const Tensor& v, const Tensor& value,
                          const Rows& queries, const Rows& keys, Lens* lens = nullptr,
                          std::string_view name = "attention");  // [tq, n] [tk, n] [n] [tk, e] -> [tq, e]

// ---- Attention in steps: score, normalise, mix. Energies [pairs] hold for each query one number a key of
// its sentence.
Rows pair_rows(const Rows& queries, const Rows& keys);  // one row a query, as long as its sentence has keys
Tensor additive_energy(const Tensor& query, const Tensor& key, const Tensor& v, const Rows& queries,
                       const Rows& keys);
Tensor dot_energy(const Tensor& query, const Tensor& key, const Rows& queries, const Rows& keys,
                  double scale = 1);
Tensor ragged_softmax(const Tensor& energy, const Rows& rows);  // each row for itself
Tensor ragged_mix(const Tensor& weights, const Tensor& value, const Rows& queries, const Rows& keys);

// ---- Recurrence over ragged sequences
enum class Cell : uint8_t { rnn, gru, lstm };
std::string_view name(Cell cell);
int gates(Cell cell);  // 1; 3 (r, z, n); 4 (i, f, g, o)
struct CellWeights {
  Tensor input;                                         // [gates h, in]
  Tensor recurrent;                                     // [gates h, h]
  Tensor input_bias;                                    // [gates h]
  Tensor recurrent_bias;                                // [gates h]
  std::shared_ptr<struct SharedCell> shared = nullptr;  // by repeated()
};
// The same weights for many calls, a step each: packed once, and their gradient is one product for all calls.
CellWeights repeated(Cell cell, const CellWeights& weights);
struct CellStates {
  Tensor h;  // [tokens, h], or [sentences, h] as the initial state
  Tensor c;  // lstm only
};
CellStates recurrence(Cell cell, const Tensor& x, const Rows& rows, const CellWeights& weights,
                      const CellStates& initial = {}, bool reverse = false);

// ---- Loss
struct CrossEntropy {
  Tensor loss;          // [] sum over the counted tokens, with label smoothing
  Tensor nll;           // [tokens] -log p(target); 0 where not counted; no gradient
  int64_t counted = 0;  // tokens whose target is not kIgnore
  int64_t correct = 0;  // of these, where the target has the highest probability
};
inline constexpr int32_t kIgnore = -1;
CrossEntropy linear_cross_entropy(
    const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& targets,
    double label_smoothing = 0);  // [tokens, d] [v, d] [v] or undefined, i32 [tokens]

// ---- Optimisation over flat buffers, in place
double squared_norm(const Tensor& x);
struct AdamStep {
  double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.98, eps = 1e-9;
  double weight_decay = 0;    // decoupled (AdamW)
  double gradient_scale = 1;  // multiplies the gradient: clipping, averaging
  int64_t step = 1;           // from 1
};
void adam(const Tensor& values, const Tensor& gradients, const Tensor& first, const Tensor& second,
          const AdamStep& step);

}  // namespace attune
