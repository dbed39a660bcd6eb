// For each block of queries, over blocks of keys, with running maximum m, sum l and mix O:
//   S = Q K^T;  m' = max(m, rowmax S);  P = exp(S - m');  l = l exp(m - m') + rowsum P;  O = O exp(m - m') +
//   P V
// and in the end O / l.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/attention_forward.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/attention/attention_head.h"
#include "ops/attention/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

size_t ForwardScratch(size_t keys, size_t d, size_t e) {
  return WholeBlocks(keys) * d + keys * WholeVectors(e) +
         kQueryBlock * (WholeVectors(d) + WholeVectors(e) + kKeyBlock) + kKeyBlock + 128;
}

struct Running {
  float max, sum;
};

// Turns the scores of one row into weights relative to the new maximum; returns the factor for the earlier
// sums.
HWY_INLINE float UpdateRow(float* HWY_RESTRICT s, Range seen, size_t count, const float* HWY_RESTRICT bias,
                           Running& running) {
  const F32 d;
  const size_t lanes = hn::Lanes(d), whole = WholeVectors(seen.end);
  if (bias != nullptr)
    for (size_t j = 0; j < whole; j += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, s + j), hn::LoadU(d, bias + j)), d, s + j);
  std::fill(s, s + seen.begin, -std::numeric_limits<float>::infinity());
  std::fill(s + seen.end, s + whole, -std::numeric_limits<float>::infinity());
  V32 most = Constant(running.max), most2 = most;
  size_t j = 0;
  for (; j + lanes < whole; j += 2 * lanes) {
    most = hn::Max(most, hn::LoadU(d, s + j));
    most2 = hn::Max(most2, hn::LoadU(d, s + j + lanes));
  }
  if (j < whole) most = hn::Max(most, hn::LoadU(d, s + j));
  const float max = hn::GetLane(hn::MaxOfLanes(d, hn::Max(most, most2)));
  V32 total = hn::Zero(d);
  for (j = 0; j < whole; j += lanes) {
    const V32 p = ExpOfNegative(hn::Sub(hn::LoadU(d, s + j), Constant(max)));
    hn::StoreU(p, d, s + j);
    total = hn::Add(total, p);
  }
  if (whole < count) std::fill(s + whole, s + count, 0.f);
  const float shrink = running.max == max || running.sum == 0 ? 1.f : std::exp(running.max - max);
  running = {max, running.sum * shrink + hn::GetLane(hn::SumOfLanes(d, total))};
  return shrink;
}

HWY_INLINE void ScaleRow(float* HWY_RESTRICT x, size_t n, float factor) {
  for (size_t c = 0; c < n; c += hn::Lanes(F32()))
    hn::StoreU(hn::Mul(hn::LoadU(F32(), x + c), Constant(factor)), F32(), x + c);
}

void Forward(const AttentionHead<float>& head, Rows2d<float> out, float* lse, float* memory) {
  const size_t queries = static_cast<size_t>(head.queries), keys = static_cast<size_t>(head.keys);
  const size_t d = static_cast<size_t>(head.d), e = static_cast<size_t>(head.e);
  const size_t d_whole = WholeVectors(d), e_whole = WholeVectors(e);
  Scratch scratch{memory};
  float* k = scratch.take(WholeBlocks(keys) * d);  // [blocks, d, kKeyBlock]
  float* v = scratch.take(keys * e_whole);         // [keys, e]
  float* q = scratch.take(kQueryBlock * d_whole);  // scaled
  float* scores = scratch.take(kQueryBlock * kKeyBlock);
  float* mix = scratch.take(kQueryBlock * e_whole);
  float* factors = scratch.take(kKeyBlock);
  PackTransposed(head.k, keys, d, k);
  PackRows(head.v, keys, e, 1.f, v);

  for (size_t i0 = 0; i0 < queries; i0 += kQueryBlock) {
    const size_t m = std::min(kQueryBlock, queries - i0);
    Running running[kQueryBlock];
    std::fill_n(running, m, Running{-std::numeric_limits<float>::infinity(), 0.f});
    std::fill_n(mix, m * e_whole, 0.f);
    PackRows({head.q.row(static_cast<int64_t>(i0)), head.q.stride}, m, d, head.scale, q);
    for (size_t i = i0; i < i0 + m; ++i) {  // what the end of this block and the next one will touch
      PrefetchRow({out.data, out.stride}, i, queries, e);
      PrefetchRow(head.q, i + m, queries, d);
    }
    const Range by_block = SeenByBlock(head, i0, m);
    for (size_t j0 = by_block.begin / kKeyBlock * kKeyBlock; j0 < by_block.end; j0 += kKeyBlock) {
      const size_t n = std::min(kKeyBlock, by_block.end - j0);
      TileProduct<false>(m, n, d, {q, d_whole, 1}, k + j0 * d, kKeyBlock, scores, kKeyBlock);
      for (size_t i = 0; i < m; ++i) {
        const auto query = static_cast<int64_t>(i0 + i);
        float* row = scores + i * kKeyBlock;
        const Range seen = SeenInBlock(head, i0 + i, j0, n);
        if (seen.empty()) {
          std::fill_n(row, n, 0.f);
          continue;
        }
        const float shrink = UpdateRow(row, seen, n, BiasOf(head.bias, head.position(query), j0), running[i]);
        if (shrink != 1.f) ScaleRow(mix + i * e_whole, e_whole, shrink);
        if (head.dropout.p > 0) {
          dropout_factors(head.dropout, head.dropout_row + query * head.dropout_step,
                          static_cast<int64_t>(j0), static_cast<int64_t>(n), factors);
          for (size_t j = 0; j < WholeVectors(n); j += hn::Lanes(F32()))
            hn::StoreU(hn::Mul(hn::LoadU(F32(), row + j), hn::LoadU(F32(), factors + j)), F32(), row + j);
        }
      }
      TileProduct<true>(m, e, n, {scores, kKeyBlock, 1}, v + j0 * e_whole, e_whole, mix, e_whole);
    }
    for (size_t i = 0; i < m; ++i) {
      const Running r = running[i];
      const V32 factor = Constant(r.sum == 0 ? 0.f : 1.f / r.sum);
      float* to = out.row(static_cast<int64_t>(i0 + i));
      ForEachVector(e, [&](size_t c, size_t l) {
        Store(hn::Mul(hn::LoadU(F32(), mix + i * e_whole + c), factor), to + c, l);
      });
      if (lse != nullptr) lse[i0 + i] = r.max + std::log(r.sum);
    }
  }
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(ForwardScratch);
HWY_EXPORT(Forward);

int64_t attention_forward_scratch(int64_t keys, int64_t d, int64_t e) {
  return static_cast<int64_t>(HWY_DYNAMIC_DISPATCH(ForwardScratch)(
      static_cast<size_t>(keys), static_cast<size_t>(d), static_cast<size_t>(e)));
}

void attention_forward(const AttentionHead<float>& head, Rows2d<float> out, float* lse, float* scratch) {
  HWY_DYNAMIC_DISPATCH(Forward)(head, out, lse, scratch);
}

}  // namespace attune
#endif  // HWY_ONCE
