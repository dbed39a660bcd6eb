// tanh dominates additive attention: one per pair and column. But tanh(q + k) = 1 - 2 / (1 + exp(2q)
// exp(2k)), so exponentials are computed for rows, and pairs need only a product and a reciprocal.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/additive_kernels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <limits>

#include "ops/attention/additive_kernels.h"
#include "ops/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

// 1 / x for 1 <= x <= 1e35.
HWY_INLINE V32 Reciprocal(V32 x) {
  if constexpr (HWY_TARGET == HWY_AVX3) {  // an estimate to 14 bits and one step of Newton's method
    const V32 y = hn::ApproximateReciprocal(x);
    return AddProduct(y, hn::NegMulAdd(x, y, Constant(1.f)), y);
  } else {
    return hn::Div(Constant(1.f), x);
  }
}

// Two ways to compute tanh(q + k). Rows are prepared once, pairs are combined.
struct ByExponentials {  // accurate to 2e-7 for numbers of at most kLargest
  static constexpr float kLargest = 20;
  static V32 Prepare(V32 x) { return ExpOfModerate(hn::Add(x, x)); }
  static V32 Combine(V32 q, V32 k) {
    const V32 r = Reciprocal(AddProduct(q, k, Constant(1.f)));
    return hn::NegMulAdd(Constant(2.f), r, Constant(1.f));
  }
};
struct ByTanh {  // for any number
  static constexpr float kLargest = std::numeric_limits<float>::infinity();
  static V32 Prepare(V32 x) { return x; }
  static V32 Combine(V32 q, V32 k) { return Tanh(hn::Add(q, k)); }
};

// Returns whether all numbers were small enough for the function.
template <class Function>
bool PrepareRows(MatrixOf<const float> from, size_t rows, size_t n, float* HWY_RESTRICT to) {
  const F32 d;
  auto fits = hn::FirstN(d, hn::Lanes(d));
  for (size_t r = 0; r < rows; ++r, to += n)
    ForEachVector(n, [&](size_t c, size_t lanes) {
      const V32 x = Load(from.data + r * static_cast<size_t>(from.stride) + c, lanes);
      fits = hn::And(fits, hn::Le(hn::Abs(x), Constant(Function::kLargest)));  // NaN does not
      Store(Function::Prepare(x), to + c, lanes);
    });
  return hn::AllTrue(d, fits);
}

// Calls body(function, prepared query [queries, n], prepared key [keys, n], scratch memory of `more`
// numbers).
template <class Body>
void WithPrepared(const AdditiveScore& score, size_t more, std::vector<float>& scratch, const Body& body) {
  const auto queries = static_cast<size_t>(score.queries), keys = static_cast<size_t>(score.keys);
  const auto n = static_cast<size_t>(score.n);
  scratch.resize(std::max(scratch.size(), (queries + keys) * n + more));
  float* query = scratch.data();
  float* key = query + queries * n;
  const auto prepare = [&]<class Function>(Function) {
    const bool queries_fit = PrepareRows<Function>(score.query, queries, n, query);
    return PrepareRows<Function>(score.key, keys, n, key) && queries_fit;
  };
  if (prepare(ByExponentials())) return body(ByExponentials(), query, key, key + keys * n);
  prepare(ByTanh());
  body(ByTanh(), query, key, key + keys * n);
}

// c_k = sum over columns of term(a, b_k, column, lanes) for N rows b_k.
template <int N, class Term>
HWY_INLINE void RowSums(size_t n, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, size_t b_stride,
                        float* HWY_RESTRICT c, const Term& term) {
  const F32 d;
  V32 sum[N];
  for (int k = 0; k < N; ++k) sum[k] = hn::Zero(d);
  ForEachVector(n, [&](size_t i, size_t lanes) {
    const V32 x = Load(a + i, lanes);
    HWY_UNROLL(4)
    for (int k = 0; k < N; ++k) sum[k] = term(sum[k], x, Load(b + k * b_stride + i, lanes), i, lanes);
  });
  for (int k = 0; k < N; ++k) c[k] = hn::GetLane(hn::SumOfLanes(d, sum[k]));
}

// c [a_rows, b_rows]: the above for all pairs of rows.
template <class Term>
HWY_INLINE void PairSums(size_t a_rows, size_t b_rows, size_t n, const float* HWY_RESTRICT a, size_t a_stride,
                         const float* HWY_RESTRICT b, size_t b_stride, float* HWY_RESTRICT c,
                         const Term& term) {
  for (size_t i = 0; i < a_rows; ++i, a += a_stride, c += b_rows) {
    size_t j = 0;
    for (; j + 4 <= b_rows; j += 4) RowSums<4>(n, a, b + j * b_stride, b_stride, c + j, term);
    for (; j < b_rows; ++j) RowSums<1>(n, a, b + j * b_stride, b_stride, c + j, term);
  }
}

void Energies(const AdditiveScore& score, float* HWY_RESTRICT energy, std::vector<float>& scratch) {
  const auto n = static_cast<size_t>(score.n);
  WithPrepared(score, 0, scratch, [&](auto function, const float* query, const float* key, const float*) {
    PairSums(static_cast<size_t>(score.queries), static_cast<size_t>(score.keys), n, query, n, key, n, energy,
             [&](V32 sum, V32 q, V32 k, size_t c, size_t lanes) {
               return AddProduct(Load(score.v + c, lanes), function.Combine(q, k), sum);
             });
  });
}

void RowProducts(int64_t a_rows, int64_t b_rows, int64_t n, MatrixOf<const float> a, MatrixOf<const float> b,
                 float* HWY_RESTRICT c) {
  PairSums(static_cast<size_t>(a_rows), static_cast<size_t>(b_rows), static_cast<size_t>(n), a.data,
           static_cast<size_t>(a.stride), b.data, static_cast<size_t>(b.stride), c,
           [](V32 sum, V32 x, V32 y, size_t, size_t) { return AddProduct(x, y, sum); });
}

void Gradients(const AdditiveScore& score, const float* HWY_RESTRICT denergy,
               const AdditiveGradients& gradients, std::vector<float>& scratch) {
  const auto queries = static_cast<size_t>(score.queries), keys = static_cast<size_t>(score.keys);
  const auto n = static_cast<size_t>(score.n);
  std::fill_n(gradients.v, n, 0.f);
  const auto run = [&](auto function, const float* HWY_RESTRICT query, const float* HWY_RESTRICT key,
                       float* HWY_RESTRICT dkey) {
    const F32 d;
    std::fill_n(dkey, keys * n, 0.f);
    for (size_t i = 0; i < queries; ++i) {
      const float* de = denergy + i * keys;
      float* dq = gradients.query.data + i * static_cast<size_t>(gradients.query.stride);
      ForEachVector(n, [&](size_t c, size_t lanes) {
        const V32 q = Load(query + i * n + c, lanes);
        V32 sum_q = hn::Zero(d), sum_v = Load(gradients.v + c, lanes);
        for (size_t j = 0; j < keys; ++j) {
          const V32 t = function.Combine(q, Load(key + j * n + c, lanes));
          const V32 e = Constant(de[j]);
          const V32 slope = hn::NegMulAdd(t, t, Constant(1.f));
          sum_q = AddProduct(e, slope, sum_q);
          sum_v = AddProduct(e, t, sum_v);
          Store(AddProduct(e, slope, Load(dkey + j * n + c, lanes)), dkey + j * n + c, lanes);
        }
        Store(hn::Mul(Load(score.v + c, lanes), sum_q), dq + c, lanes);
        Store(sum_v, gradients.v + c, lanes);
      });
    }
    for (size_t j = 0; j < keys; ++j)
      ForEachVector(n, [&](size_t c, size_t lanes) {
        float* to = gradients.key.data + j * static_cast<size_t>(gradients.key.stride) + c;
        Store(AddProduct(Load(score.v + c, lanes), Load(dkey + j * n + c, lanes), Load(to, lanes)), to,
              lanes);
      });
  };
  WithPrepared(score, keys * n, scratch, run);
}

template <bool Accumulate>
void Product(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
             MatrixOf<float> c) {
  const auto rows = static_cast<size_t>(m), depth = static_cast<size_t>(k), lanes = hn::Lanes(F32());
  const auto a_stride = static_cast<size_t>(a.stride), b_stride = static_cast<size_t>(b.stride),
             c_stride = static_cast<size_t>(c.stride);
  const TileA tile = a.transpose ? TileA{a.data, 1, a_stride} : TileA{a.data, a_stride, 1};
  const size_t whole = static_cast<size_t>(n) / lanes * lanes, rest = static_cast<size_t>(n) - whole;
  TileProduct<Accumulate>(rows, whole, depth, tile, b.data, b_stride, c.data, c_stride);
  if (rest == 0) return;
  for (size_t i = 0; i < rows; ++i) {
    float* to = c.data + i * c_stride + whole;
    V32 sum = Accumulate ? LoadFirst(to, rest) : hn::Zero(F32());
    for (size_t p = 0; p < depth; ++p)
      sum = AddProduct(Constant(tile.data[i * tile.row + p * tile.column]),
                       LoadFirst(b.data + p * b_stride + whole, rest), sum);
    StoreFirst(sum, to, rest);
  }
}

void SmallProduct(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                  MatrixOf<float> c, bool accumulate) {
  if (accumulate)
    Product<true>(m, n, k, a, b, c);
  else
    Product<false>(m, n, k, a, b, c);
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(Energies);
HWY_EXPORT(Gradients);
HWY_EXPORT(SmallProduct);
HWY_EXPORT(RowProducts);

void additive_energies(const AdditiveScore& score, float* energy, std::vector<float>& scratch) {
  HWY_DYNAMIC_DISPATCH(Energies)(score, energy, scratch);
}

void additive_gradients(const AdditiveScore& score, const float* denergy, const AdditiveGradients& gradients,
                        std::vector<float>& scratch) {
  HWY_DYNAMIC_DISPATCH(Gradients)(score, denergy, gradients, scratch);
}

void small_product(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                   MatrixOf<float> c, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(SmallProduct)(m, n, k, a, b, c, accumulate);
}

void row_products(int64_t a_rows, int64_t b_rows, int64_t n, MatrixOf<const float> a, MatrixOf<const float> b,
                  float* c) {
  HWY_DYNAMIC_DISPATCH(RowProducts)(a_rows, b_rows, n, a, b, c);
}

}  // namespace attune
#endif  // HWY_ONCE
