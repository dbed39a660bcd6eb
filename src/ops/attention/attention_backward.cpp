// For each block of keys, over blocks of queries, with D_i = dO_i . O_i and the weights recomputed from lse:
//   P = exp(scale Q K^T - lse);  dP = dO V^T;  dS = P (dP - D)
//   dV += P^T dO;  dK += scale dS^T Q;  dQ += scale dS K;  dbias_{j - i} += dS_ij
// Dropout multiplies P in dV and dP by the same factors as in the forward pass.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/attention_backward.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <limits>

#include "ops/attention/attention_head.h"
#include "ops/attention/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

size_t BackwardScratch(size_t queries, size_t keys, size_t d, size_t e) {
  const size_t d_whole = WholeVectors(d), e_whole = WholeVectors(e);
  return WholeBlocks(keys) * (d + e) + keys * d_whole + queries * (2 * d_whole + e_whole + 1) +
         kKeyBlock * (2 * kQueryBlock + d_whole + e_whole + 1) + 256;
}

// In: scores s and gradients dp of the weights. Out: s holds the weights with dropout, for dV; dp holds dS.
HWY_INLINE void GradientRow(float* HWY_RESTRICT s, float* HWY_RESTRICT dp, const float* HWY_RESTRICT factors,
                            Range seen, size_t count, const float* HWY_RESTRICT bias,
                            float* HWY_RESTRICT dbias, float lse, float delta) {
  const F32 d;
  if (seen.empty()) seen = {};
  std::fill(s, s + seen.begin, -std::numeric_limits<float>::infinity());
  std::fill(dp, dp + seen.begin, 0.f);
  ForEachVector(seen.end, [&](size_t j, size_t l) {
    V32 v = hn::LoadU(d, s + j);
    if (bias != nullptr) v = hn::Add(v, hn::LoadU(d, bias + j));
    const V32 p = hn::IfThenElseZero(hn::FirstN(d, l), ExpOfNegative(hn::Sub(v, Constant(lse))));
    V32 g = hn::LoadU(d, dp + j), dropped = p;
    if (factors != nullptr) {
      const V32 factor = hn::LoadU(d, factors + j);
      g = hn::Mul(g, factor);
      dropped = hn::Mul(p, factor);
    }
    hn::StoreU(dropped, d, s + j);
    const V32 ds = hn::Mul(p, hn::Sub(g, Constant(delta)));
    hn::StoreU(ds, d, dp + j);
    if (dbias != nullptr)
      hn::StoreU(hn::Add(hn::LoadU(d, dbias + j), hn::IfThenElseZero(hn::FirstN(d, l), ds)), d, dbias + j);
  });
  const size_t whole = WholeVectors(seen.end);
  if (whole < count) {
    std::fill(s + whole, s + count, 0.f);
    std::fill(dp + whole, dp + count, 0.f);
  }
}

// D_i = dO_i . O_i
void Deltas(const AttentionHeadGradient<float>& gradient, size_t queries, size_t e, float* delta) {
  for (size_t i = 0; i < queries; ++i) {
    const float* a = gradient.out.row(static_cast<int64_t>(i));
    const float* b = gradient.dout.row(static_cast<int64_t>(i));
    V32 total = hn::Zero(F32());
    ForEachVector(e, [&](size_t c, size_t l) { total = AddProduct(Load(a + c, l), Load(b + c, l), total); });
    delta[i] = hn::GetLane(hn::SumOfLanes(F32(), total));
  }
}

void UnpackRows(const float* HWY_RESTRICT from, size_t n, size_t width, float factor, Rows2d<float> rows,
                size_t first) {
  const size_t padded = WholeVectors(width);
  for (size_t i = 0; i < n; ++i) {
    float* to = rows.row(static_cast<int64_t>(first + i));
    ForEachVector(width, [&](size_t c, size_t l) {
      Store(hn::Mul(hn::LoadU(F32(), from + i * padded + c), Constant(factor)), to + c, l);
    });
  }
}

void Backward(const AttentionHead<float>& head, const AttentionHeadGradient<float>& gradient, float* memory) {
  const size_t queries = static_cast<size_t>(head.queries), keys = static_cast<size_t>(head.keys);
  const size_t d = static_cast<size_t>(head.d), e = static_cast<size_t>(head.e);
  const size_t d_whole = WholeVectors(d), e_whole = WholeVectors(e);
  Scratch scratch{memory};
  float* k_t = scratch.take(WholeBlocks(keys) * d);  // [blocks, d, kKeyBlock]
  float* v_t = scratch.take(WholeBlocks(keys) * e);  // [blocks, e, kKeyBlock]
  float* k = scratch.take(keys * d_whole);
  float* q = scratch.take(queries * d_whole);  // scaled
  float* dout = scratch.take(queries * e_whole);
  float* dq = scratch.take(queries * d_whole);
  float* delta = scratch.take(queries);
  float* weights = scratch.take(kQueryBlock * kKeyBlock);
  float* slopes = scratch.take(kQueryBlock * kKeyBlock);  // dP, then dS
  float* dk = scratch.take(kKeyBlock * d_whole);
  float* dv = scratch.take(kKeyBlock * e_whole);
  float* factors = scratch.take(kKeyBlock);
  PackTransposed(head.k, keys, d, k_t);
  PackTransposed(head.v, keys, e, v_t);
  PackRows(head.k, keys, d, 1.f, k);
  PackRows(head.q, queries, d, head.scale, q);
  PackRows(gradient.dout, queries, e, 1.f, dout);
  std::fill_n(dq, queries * d_whole, 0.f);
  Deltas(gradient, queries, e, delta);

  for (size_t j0 = 0; j0 < keys; j0 += kKeyBlock) {
    const size_t n = std::min(kKeyBlock, keys - j0);
    std::fill_n(dk, n * d_whole, 0.f);
    std::fill_n(dv, n * e_whole, 0.f);
    for (size_t i0 = 0; i0 < queries; i0 += kQueryBlock) {
      const size_t m = std::min(kQueryBlock, queries - i0);
      const Range by_block = SeenByBlock(head, i0, m);
      if (by_block.begin >= j0 + n || by_block.end <= j0) continue;
      const size_t most = std::min(n, by_block.end - j0);
      TileProduct<false>(m, most, d, {q + i0 * d_whole, d_whole, 1}, k_t + j0 * d, kKeyBlock, weights,
                         kKeyBlock);
      TileProduct<false>(m, most, e, {dout + i0 * e_whole, e_whole, 1}, v_t + j0 * e, kKeyBlock, slopes,
                         kKeyBlock);
      for (size_t i = 0; i < m; ++i) {
        const auto query = static_cast<int64_t>(i0 + i);
        const float* dropped = nullptr;
        if (head.dropout.p > 0) {
          dropout_factors(head.dropout, head.dropout_row + query * head.dropout_step,
                          static_cast<int64_t>(j0), static_cast<int64_t>(n), factors);
          dropped = factors;
        }
        GradientRow(weights + i * kKeyBlock, slopes + i * kKeyBlock, dropped,
                    SeenInBlock(head, i0 + i, j0, most), most, BiasOf(head.bias, head.position(query), j0),
                    BiasOf(gradient.dbias, head.position(query), j0), gradient.lse[query], delta[query]);
      }
      TileProduct<true>(most, e, m, {weights, 1, kKeyBlock}, dout + i0 * e_whole, e_whole, dv, e_whole);
      TileProduct<true>(most, d, m, {slopes, 1, kKeyBlock}, q + i0 * d_whole, d_whole, dk, d_whole);
      TileProduct<true>(m, d, most, {slopes, kKeyBlock, 1}, k + j0 * d_whole, d_whole, dq + i0 * d_whole,
                        d_whole);
    }
    UnpackRows(dk, n, d, 1.f, gradient.dk, j0);
    UnpackRows(dv, n, e, 1.f, gradient.dv, j0);
  }
  UnpackRows(dq, queries, d, head.scale, gradient.dq, 0);
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(BackwardScratch);
HWY_EXPORT(Backward);

int64_t attention_backward_scratch(int64_t queries, int64_t keys, int64_t d, int64_t e) {
  return static_cast<int64_t>(
      HWY_DYNAMIC_DISPATCH(BackwardScratch)(static_cast<size_t>(queries), static_cast<size_t>(keys),
                                            static_cast<size_t>(d), static_cast<size_t>(e)));
}

void attention_backward(const AttentionHead<float>& head, const AttentionHeadGradient<float>& gradient,
                        float* scratch) {
  HWY_DYNAMIC_DISPATCH(Backward)(head, gradient, scratch);
}

}  // namespace attune
#endif  // HWY_ONCE
