// Attention in three steps over ragged batches: score, normalise, mix. The energies and weights of a batch
// are flat: sentence after sentence a matrix [queries, keys].
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "ops/attention/additive_kernels.h"
#include "ops/attention/ragged.h"
#include "ops/column_sums.h"
#include "ops/kernels.h"
#include "ops/pointwise/activation.h"
#include "ops/product/gemm.h"
#include "ops/softmax.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

// The rows of a sentence as a matrix.
template <class T>
MatrixOf<T> rows_from(const Tensor& t, int64_t first) {
  return {row_of<T>(t, first), t.row_stride()};
}

template <class T>
MatrixOf<const T> pairs_matrix(const Tensor& t, const SentencePairs& s, bool transpose = false) {
  return {t.data<T>() + s.pair, s.keys, transpose};
}

// The forward pass takes kernels that run in the calling thread and sum in one order: a sentence's numbers
// depend neither on the number of threads nor on how many of its queries come together.
// c_ij = a_i . b_j
template <class T>
void dots_reference(int64_t a_rows, int64_t b_rows, int64_t n, MatrixOf<const T> a, MatrixOf<const T> b,
                    T* c) {
  gemm(a_rows, b_rows, n, a, {b.data, b.stride, true}, {c, b_rows});
}

template <class T>
constexpr Kernels<void(int64_t, int64_t, int64_t, MatrixOf<const T>, MatrixOf<const T>, T*)> dots{
    f32_only<T>(row_products), dots_reference<T>};

// c = a b
void mix_fast(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
              MatrixOf<float> c) {
  small_product(m, n, k, a, b, c);
}

template <class T>
void mix_reference(int64_t m, int64_t n, int64_t k, MatrixOf<const T> a, MatrixOf<const T> b, MatrixOf<T> c) {
  gemm(m, n, k, a, b, c);
}

template <class T>
constexpr Kernels<void(int64_t, int64_t, int64_t, MatrixOf<const T>, MatrixOf<const T>, MatrixOf<T>)> mix{
    f32_only<T>(mix_fast), mix_reference<T>};

// t = tanh(query + key)
void tanh_row_fast(const float* query, const float* key, float* t, int64_t n) {
  activate_row(Activation::tanh, key, query, nullptr, t, n);
}

template <class T>
void tanh_row_reference(const T* query, const T* key, T* t, int64_t n) {
  for (int64_t c = 0; c < n; ++c) t[c] = std::tanh(query[c] + key[c]);
}

template <class T>
constexpr Kernels<void(const T*, const T*, T*, int64_t)> tanh_rows{f32_only<T>(tanh_row_fast),
                                                                   tanh_row_reference<T>};

template <class T>
constexpr Kernels<void(const T*, T*, size_t)> softmax_rows{f32_only<T>(softmax_row),
                                                           softmax_row_reference<T>};

// Calls body(sentence, i, t) for every query i of every sentence, with t [keys, n] = tanh(query_i + key_j).
template <class T, class Body>
void for_queries(const Tensor& query, const Tensor& key, const Pairs& pairs, const Body& body) {
  const auto tanh_row = tanh_rows<T>.chosen();
  const int64_t n = key.columns();
  parallel_for(pairs.count(), 1, [&](int64_t begin, int64_t end) {
    std::vector<T> t(static_cast<size_t>(pairs.keys().max_length() * n));
    for (int64_t index = begin; index < end; ++index) {
      const SentencePairs s = pairs[index];
      for (int64_t i = 0; i < s.queries; ++i) {
        for (int64_t j = 0; j < s.keys; ++j)
          tanh_row(row_of<T>(query, s.query + i), row_of<T>(key, s.key + j), t.data() + j * n, n);
        body(s, i, t.data());
      }
    }
  });
}

// e_ij = v^T tanh(query_i + key_j)
template <class T>
void additive_forward(const Tensor& query, const Tensor& key, const Tensor& v, const Pairs& pairs,
                      const Tensor& energy) {
  const int64_t n = v.size();
  for_queries<T>(query, key, pairs, [&](const SentencePairs& s, int64_t i, const T* t) {
    T* e = energy.data<T>() + s.pair + i * s.keys;
    dots<T>(s.keys, 1, n, {t, n}, {v.data<T>(), n}, e);
  });
}

// With g_ij = de_ij v (1 - tanh^2(query_i + key_j)):
//   dquery_i = sum_j g_ij,  dkey_j = sum_i g_ij,  dv = sum_ij de_ij tanh(query_i + key_j)
template <class T>
Grads additive_backward(const Tensor& query, const Tensor& key, const Tensor& v, const Pairs& pairs,
                        const Tensor& de) {
  const int64_t n = v.size();
  const Tensor dquery = Tensor::zeros(query.shape(), query.dtype());
  const Tensor dkey = Tensor::zeros(key.shape(), key.dtype());
  const Tensor dv_parts = Tensor::zeros({pairs.count(), n}, v.dtype());
  for_queries<T>(query, key, pairs, [&](const SentencePairs& s, int64_t i, const T* t) {
    T* dq = row_of<T>(dquery, s.query + i);
    T* part = row_of<T>(dv_parts, s.index);
    const T* factor = v.data<T>();
    for (int64_t j = 0; j < s.keys; ++j, t += n) {
      const T e = de.data<T>()[s.pair + i * s.keys + j];
      T* dk = row_of<T>(dkey, s.key + j);
      for (int64_t c = 0; c < n; ++c) {
        const T g = e * factor[c] * (1 - t[c] * t[c]);
        dq[c] += g;
        dk[c] += g;
        part[c] += e * t[c];
      }
    }
  });
  return {dquery, dkey, column_sums(dv_parts, {})};
}

}  // namespace

Rows pair_rows(const Rows& queries, const Rows& keys) {
  const Pairs pairs("pair_rows", queries, keys);
  std::vector<int64_t> lengths;
  lengths.reserve(static_cast<size_t>(queries.total()));
  for (int64_t s = 0; s < pairs.count(); ++s)
    lengths.insert(lengths.end(), static_cast<size_t>(queries.length(s)), keys.length(s));
  return Rows(lengths);
}

Tensor additive_energy(const Tensor& query, const Tensor& key, const Tensor& v, const Rows& queries,
                       const Rows& keys) {
  constexpr std::string_view op = "additive_energy";
  const Pairs pairs(op, queries, keys);
  check_float(op, {&query, &key, &v});
  pairs.check_query(op, query);
  pairs.check_key(op, key, query.columns());
  check_shape(op, "v", v, {query.columns()});
  Tensor energy({pairs.total()}, query.dtype());
  dispatch(query.dtype(), [&]<class T>() { additive_forward<T>(query, key, v, pairs, energy); });
  if (recording(query, key, v))
    record("additive_energy", energy, {query, key, v},
           [query = query.detach(), key = key.detach(), v = v.detach(), pairs](const Tensor& de) {
             return dispatch(query.dtype(),
                             [&]<class T>() { return additive_backward<T>(query, key, v, pairs, de); });
           });
  return energy;
}

// e_ij = scale query_i . key_j, so dquery_i = scale sum_j de_ij key_j and dkey_j = scale sum_i de_ij query_i.
Tensor dot_energy(const Tensor& query, const Tensor& key, const Rows& queries, const Rows& keys,
                  double scale) {
  constexpr std::string_view op = "dot_energy";
  const Pairs pairs(op, queries, keys);
  check_float(op, {&query, &key});
  pairs.check_query(op, query);
  pairs.check_key(op, key, query.columns());
  Tensor energy({pairs.total()}, query.dtype());
  dispatch(query.dtype(), [&]<class T>() {
    pairs.for_sentences([&](const SentencePairs& s) {
      T* e = energy.data<T>() + s.pair;
      dots<T>(s.queries, s.keys, query.columns(), matrix_of<T>(query, s.query), matrix_of<T>(key, s.key), e);
      std::transform(e, e + s.queries * s.keys, e,
                     [factor = static_cast<T>(scale)](T x) { return factor * x; });
    });
  });
  if (recording(query, key))
    record("dot_energy", energy, {query, key},
           [query = query.detach(), key = key.detach(), pairs, scale](const Tensor& de) {
             const Tensor dquery(query.shape(), query.dtype()), dkey(key.shape(), key.dtype());
             dispatch(query.dtype(), [&]<class T>() {
               pairs.for_sentences([&](const SentencePairs& s) {
                 gemm(s.queries, query.columns(), s.keys, pairs_matrix<T>(de, s), matrix_of<T>(key, s.key),
                      rows_from<T>(dquery, s.query), static_cast<T>(scale));
                 gemm(s.keys, query.columns(), s.queries, pairs_matrix<T>(de, s, true),
                      matrix_of<T>(query, s.query), rows_from<T>(dkey, s.key), static_cast<T>(scale));
               });
             });
             return Grads{dquery, dkey};
           });
  return energy;
}

Tensor ragged_softmax(const Tensor& energy, const Rows& rows) {
  check_float("ragged_softmax", {&energy});
  check_shape("ragged_softmax", "energy", energy, {rows.total()});
  const auto for_rows = [rows](const auto& body) {
    parallel_for(rows.count(), 64, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) body(rows.begin(r), static_cast<size_t>(rows.length(r)));
    });
  };
  Tensor weights(energy.shape(), energy.dtype());
  dispatch(energy.dtype(), [&]<class T>() {
    const auto softmax_of = softmax_rows<T>.chosen();
    for_rows(
        [&](int64_t first, size_t n) { softmax_of(energy.data<T>() + first, weights.data<T>() + first, n); });
  });
  if (recording(energy))
    record("ragged_softmax", weights, {energy}, [weights = weights.detach(), for_rows](const Tensor& dy) {
      Tensor dx(dy.shape(), dy.dtype());
      dispatch(dy.dtype(), [&]<class T>() {
        for_rows([&](int64_t first, size_t n) {
          softmax_gradient_row(weights.data<T>() + first, dy.data<T>() + first, dx.data<T>() + first, n);
        });
      });
      return Grads{dx};
    });
  return weights;
}

// y_i = sum_j w_ij value_j, so dw_ij = dy_i . value_j and dvalue_j = sum_i w_ij dy_i.
Tensor ragged_mix(const Tensor& weights, const Tensor& value, const Rows& queries, const Rows& keys) {
  constexpr std::string_view op = "ragged_mix";
  const Pairs pairs(op, queries, keys);
  check_float(op, {&weights, &value});
  check_shape(op, "weights", weights, {pairs.total()});
  pairs.check_value(op, value);
  Tensor y({queries.total(), value.columns()}, value.dtype());
  dispatch(value.dtype(), [&]<class T>() {
    pairs.for_sentences([&](const SentencePairs& s) {
      mix<T>(s.queries, value.columns(), s.keys, pairs_matrix<T>(weights, s), matrix_of<T>(value, s.key),
             rows_from<T>(y, s.query));
    });
  });
  if (recording(weights, value))
    record("ragged_mix", y, {weights, value},
           [weights = weights.detach(), value = value.detach(), pairs](const Tensor& dy) {
             const Tensor dweights(weights.shape(), weights.dtype()), dvalue(value.shape(), value.dtype());
             dispatch(value.dtype(), [&]<class T>() {
               pairs.for_sentences([&](const SentencePairs& s) {
                 gemm(s.queries, s.keys, value.columns(), matrix_of<T>(dy, s.query),
                      matrix_of<T>(value, s.key, true), {dweights.data<T>() + s.pair, s.keys});
                 gemm(s.keys, value.columns(), s.queries, pairs_matrix<T>(weights, s, true),
                      matrix_of<T>(dy, s.query), rows_from<T>(dvalue, s.key));
               });
             });
             return Grads{dweights, dvalue};
           });
  return y;
}

}  // namespace attune
