// Bahdanau et al. 2015, A.1.2, fused: for every query i and the keys j of its sentence
//
//   e_ij = v^T tanh(query_i + key_j),   a_i = softmax(e_i),   y_i = sum_j a_ij value_j
//
// Only the weights a [pairs] are kept for the backward pass, which recomputes tanh:
//
//   da_ij = dy_i . value_j,   de_i = a_i (da_i - sum_k a_ik da_ik),   dvalue_j = sum_i a_ij dy_i
//
// and from de the gradients of the score. A decoder uses the same keys and values in every step, so their
// gradients accumulate in place. additive_energy, ragged_softmax and ragged_mix define the result.
#include <algorithm>
#include <tuple>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "ops/attention/additive_kernels.h"
#include "ops/attention/ragged.h"
#include "ops/column_sums.h"
#include "ops/kernels.h"
#include "ops/softmax.h"

namespace attune {
namespace {

// The pieces of a sentence that run in parallel do not depend on the number of threads.
constexpr int64_t kQueries = 32;       // rows of the forward pass
constexpr int64_t kScoreColumns = 64;  // of the gradients of query, key and v
constexpr int64_t kValueColumns = 256;

struct Inputs {
  Tensor query, key, v, value;
  Pairs pairs;
};

MatrixOf<const float> matrix(const Tensor& t, int64_t row, int64_t column = 0) {
  return {row_of<float>(t, row) + column, t.row_stride()};
}
MatrixOf<float> output(const Tensor& t, int64_t row, int64_t column = 0) {
  return {row_of<float>(t, row) + column, t.row_stride()};
}

// Calls body(sentence, scratch) for all sentences in parallel, with at most kQueries queries at a time.
template <class Body>
void for_queries(const Pairs& pairs, const Body& body) {
  std::vector<SentencePairs> parts;
  for (int64_t s = 0; s < pairs.count(); ++s)
    for (SentencePairs rest = pairs[s]; rest.queries > 0;) {
      SentencePairs part = rest;
      part.queries = std::min(part.queries, kQueries);
      parts.push_back(part);
      rest.query += part.queries;
      rest.queries -= part.queries;
      rest.pair += part.queries * part.keys;
    }
  parallel_for(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch;
    for (int64_t p = begin; p < end; ++p) body(parts[static_cast<size_t>(p)], scratch);
  });
}

// Calls body(sentence, begin, end, scratch) for blocks of columns of all sentences in parallel.
template <class Body>
void for_columns(const Pairs& pairs, int64_t columns, int64_t width, const Body& body) {
  const int64_t blocks = (columns + width - 1) / width;
  parallel_for(pairs.count() * blocks, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch;
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p % blocks * width;
      body(pairs[p / blocks], first, std::min(first + width, columns), scratch);
    }
  });
}

AdditiveScore score_of(const Inputs& in, const SentencePairs& s, int64_t begin, int64_t end) {
  return {matrix(in.query, s.query, begin), s.queries,  matrix(in.key, s.key, begin), s.keys,
          in.v.data<float>() + begin,       end - begin};
}

void forward(const Inputs& in, const Tensor& weights, const Tensor& y) {
  for_queries(in.pairs, [&](const SentencePairs& s, std::vector<float>& scratch) {
    std::vector<float> energy(static_cast<size_t>(s.queries * s.keys));
    additive_energies(score_of(in, s, 0, in.v.size()), energy.data(), scratch);
    float* a = weights.data<float>() + s.pair;
    for (int64_t i = 0; i < s.queries; ++i)
      softmax_row(energy.data() + i * s.keys, a + i * s.keys, static_cast<size_t>(s.keys));
    small_product(s.queries, y.columns(), s.keys, {a, s.keys}, matrix(in.value, s.key), output(y, s.query));
  });
}

Tensor energy_gradient(const Inputs& in, const Tensor& weights, const Tensor& dy) {
  Tensor de(weights.shape());
  for_queries(in.pairs, [&](const SentencePairs& s, std::vector<float>&) {
    float* g = de.data<float>() + s.pair;
    row_products(s.queries, s.keys, dy.columns(), matrix(dy, s.query), matrix(in.value, s.key), g);
    for (int64_t i = 0; i < s.queries; ++i, g += s.keys)
      softmax_gradient_row(weights.data<float>() + s.pair + i * s.keys, g, g, static_cast<size_t>(s.keys));
  });
  return de;
}

// dvalue_j += sum_i a_ij dy_i
void add_value_gradient(const Inputs& in, const Tensor& weights, const Tensor& dy, const Tensor& dvalue) {
  for_columns(in.pairs, dy.columns(), kValueColumns,
              [&](const SentencePairs& s, int64_t begin, int64_t end, std::vector<float>&) {
                small_product(s.keys, end - begin, s.queries, {weights.data<float>() + s.pair, s.keys, true},
                              matrix(dy, s.query, begin), output(dvalue, s.key, begin), true);
              });
}

// Adds to dkey and returns dquery and dv.
std::pair<Tensor, Tensor> add_score_gradients(const Inputs& in, const Tensor& de, const Tensor& dkey) {
  const Tensor dquery(in.query.shape());
  const Tensor parts({in.pairs.count(), in.v.size()});  // of dv, one per sentence
  for_columns(in.pairs, in.v.size(), kScoreColumns,
              [&](const SentencePairs& s, int64_t begin, int64_t end, std::vector<float>& scratch) {
                additive_gradients(score_of(in, s, begin, end), de.data<float>() + s.pair,
                                   {output(dquery, s.query, begin), output(dkey, s.key, begin),
                                    row_of<float>(parts, s.index) + begin},
                                   scratch);
              });
  return {dquery, column_sums(parts, {})};
}

struct Arguments {
  const Tensor &query, &key, &v, &value;
  const Pairs& pairs;
  Lens* lens;
  AttentionName name;

  void show(const Tensor& weights) const {
    if (lens != nullptr) lens->attention(name, weights.detach(), pairs.queries(), pairs.keys(), 1);
  }
};

bool is_f32(const Arguments& of) { return of.query.dtype() == DType::f32; }

Tensor fused(const Arguments& of) {
  const Inputs in{of.query.detach(), of.key.detach(), of.v.detach(), of.value.detach(), of.pairs};
  const Tensor weights({in.pairs.total()});
  Tensor y({in.pairs.queries().total(), in.value.columns()});
  forward(in, weights, y);
  of.show(weights);
  if (recording(of.query, of.key, of.v, of.value))
    record("additive_attention", y, {of.query, of.key, of.v, of.value},
           [in, weights, keys_sum = GradientSum(of.key), values_sum = GradientSum(of.value),
            score = recording(of.query, of.key, of.v)](const Tensor& dy) {
             Grads gradients(4);
             if (const Tensor dvalue = values_sum.sum()) add_value_gradient(in, weights, dy, dvalue);
             if (score) {
               const Tensor dkey = keys_sum.sum();
               std::tie(gradients[0], gradients[2]) = add_score_gradients(
                   in, energy_gradient(in, weights, dy), dkey ? dkey : Tensor::zeros(in.key.shape()));
             }
             return gradients;
           });
  return y;
}

Tensor in_steps(const Arguments& of) {
  const Rows &queries = of.pairs.queries(), &keys = of.pairs.keys();
  const Tensor energy = additive_energy(of.query, of.key, of.v, queries, keys);
  const Tensor weights = ragged_softmax(energy, pair_rows(queries, keys));
  of.show(weights);
  return ragged_mix(weights, of.value, queries, keys);
}

constexpr Kernels<Tensor(const Arguments&)> kernels{{fused, is_f32}, in_steps};

}  // namespace

Tensor additive_attention(const Tensor& query, const Tensor& key, const Tensor& v, const Tensor& value,
                          const Rows& queries, const Rows& keys, Lens* lens, AttentionName name) {
  constexpr std::string_view op = "additive_attention";
  const Pairs pairs(op, queries, keys);
  check_float(op, {&query, &key, &v, &value});
  pairs.check_query(op, query);
  pairs.check_key(op, key, query.columns());
  check_shape(op, "v", v, {query.columns()});
  pairs.check_value(op, value);
  return kernels({query, key, v, value, pairs, lens, name});
}

}  // namespace attune
