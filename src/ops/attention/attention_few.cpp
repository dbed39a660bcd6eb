// Few queries, as in decoding: nothing is packed; keys and values are read in place.
//   s_j = q . k_j + bias_{j - position};  p = exp(s - max s);  out = sum_j p_j v_j / sum_j p_j
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/attention_few.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/attention/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

// scores[0 .. kCount) = q . k_j of the keys first, first + 1, ..; several at once, so that the sums overlap.
template <size_t kCount>
HWY_INLINE void Scores(const AttentionHead<float>& head, const float* HWY_RESTRICT q, size_t first,
                       float* scores) {
  const F32 d;
  const float* k[kCount];
  V32 sum[kCount];
  for (size_t j = 0; j < kCount; ++j) {
    k[j] = head.k.row(head.place(static_cast<int64_t>(first + j)));
    sum[j] = hn::Zero(d);
  }
  ForEachVector(static_cast<size_t>(head.d), [&](size_t c, size_t lanes) {
    const V32 x = hn::LoadU(d, q + c);
    for (size_t j = 0; j < kCount; ++j) sum[j] = AddProduct(x, Load(k[j] + c, lanes), sum[j]);
  });
  for (size_t j = 0; j < kCount; ++j) scores[j] = hn::GetLane(hn::SumOfLanes(d, sum[j]));
}

// out [column, column + kVectors vectors) = factor sum_j p_j v_j, where p begins with the first key that is
// seen; only `lanes` of the last vector count.
template <size_t kVectors>
HWY_INLINE void Mix(const AttentionHead<float>& head, const float* HWY_RESTRICT p, Range seen, float factor,
                    size_t column, size_t lanes, float* out) {
  const F32 d;
  const size_t step = hn::Lanes(d);
  V32 sum[kVectors];
  for (auto& s : sum) s = hn::Zero(d);
  for (size_t j = seen.begin; j < seen.end; ++j) {
    const float* v = head.v.row(head.place(static_cast<int64_t>(j))) + column;
    const V32 weight = Constant(p[j - seen.begin]);
    for (size_t i = 0; i < kVectors; ++i)
      sum[i] = AddProduct(weight, Load(v + i * step, i + 1 < kVectors ? step : lanes), sum[i]);
  }
  for (size_t i = 0; i < kVectors; ++i)
    Store(hn::Mul(sum[i], Constant(factor)), out + column + i * step, i + 1 < kVectors ? step : lanes);
}

void Few(const AttentionHead<float>& head, Rows2d<float> out, float* lse, float* memory) {
  const F32 d;
  const size_t width = static_cast<size_t>(head.d), e = static_cast<size_t>(head.e), lanes = hn::Lanes(d);
  Scratch scratch{memory};
  float* q = scratch.take(WholeVectors(width));
  float* s = scratch.take(WholeVectors(static_cast<size_t>(head.keys)));
  for (int64_t i = 0; i < head.queries; ++i) {
    const Range seen{static_cast<size_t>(head.first(i)), static_cast<size_t>(head.last(i))};
    const size_t keys = seen.end - seen.begin, whole = WholeVectors(keys);
    const float* bias = BiasOf(head.bias, head.position(i), seen.begin);
    PackRows({head.q.row(i), head.q.stride}, 1, width, head.scale, q);
    size_t j = 0;
    for (; j + 4 <= keys; j += 4) Scores<4>(head, q, seen.begin + j, s + j);
    for (; j < keys; ++j) Scores<1>(head, q, seen.begin + j, s + j);
    std::fill(s + keys, s + whole, -std::numeric_limits<float>::infinity());

    V32 most = hn::Neg(hn::Inf(d)), total = hn::Zero(d);
    for (j = 0; j < whole; j += lanes) {
      V32 x = hn::LoadU(d, s + j);
      if (bias != nullptr) x = hn::Add(x, hn::LoadU(d, bias + j));
      hn::StoreU(x, d, s + j);
      most = hn::Max(most, x);
    }
    const V32 max = hn::MaxOfLanes(d, most);
    for (j = 0; j < whole; j += lanes) {
      const V32 p = ExpOfNegative(hn::Sub(hn::LoadU(d, s + j), max));
      hn::StoreU(p, d, s + j);
      total = hn::Add(total, p);
    }
    const float sum = hn::GetLane(hn::SumOfLanes(d, total)), factor = keys == 0 ? 0.f : 1.f / sum;
    if (lse != nullptr) lse[i] = hn::GetLane(max) + std::log(sum);

    float* to = out.row(i);
    size_t c = 0;
    for (; c + 4 * lanes <= e; c += 4 * lanes) Mix<4>(head, s, seen, factor, c, lanes, to);
    for (; c < e; c += lanes) Mix<1>(head, s, seen, factor, c, std::min(lanes, e - c), to);
  }
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(Few);

void attention_few(const AttentionHead<float>& head, Rows2d<float> out, float* lse, float* scratch) {
  HWY_DYNAMIC_DISPATCH(Few)(head, out, lse, scratch);
}

}  // namespace attune
#endif  // HWY_ONCE
