// Code shared by the forward and backward tiles of attention. Included once for each CPU target.
#if defined(ATTUNE_OPS_ATTENTION_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTUNE_OPS_ATTENTION_TILES_INL_H_
#undef ATTUNE_OPS_ATTENTION_TILES_INL_H_
#else
#define ATTUNE_OPS_ATTENTION_TILES_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>

#include "ops/attention/attention_head.h"
#include "ops/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {

constexpr size_t kQueryBlock = 8 * kTileRows;
constexpr size_t kKeyBlock = kDropoutBlock;

HWY_INLINE size_t WholeBlocks(size_t keys) { return (keys + kKeyBlock - 1) / kKeyBlock * kKeyBlock; }

// Takes consecutive pieces of a scratch buffer, each aligned to a cache line.
struct Scratch {
  float* next;
  float* take(size_t floats) {
    float* piece = next;
    next += (floats + 15) / 16 * 16;
    return piece;
  }
};

// The rows of a head are far apart in memory: hardware prefetching sees no pattern.
constexpr size_t kPrefetchRows = 6;
HWY_INLINE void PrefetchRow(Rows2d<const float> rows, size_t i, size_t n, size_t width) {
  if (i >= n) return;
  for (size_t c = 0; c < width; c += 16) hwy::Prefetch(rows.row(static_cast<int64_t>(i)) + c);
}

// rows [n, width] -> to [n, WholeVectors(width)], times factor, padded with zeros.
HWY_INLINE void PackRows(Rows2d<const float> rows, size_t n, size_t width, float factor,
                         float* HWY_RESTRICT to) {
  const size_t padded = WholeVectors(width);
  for (size_t i = 0; i < n; ++i, to += padded) {
    const float* from = rows.row(static_cast<int64_t>(i));
    PrefetchRow(rows, i + kPrefetchRows, n, width);
    ForEachVector(width, [&](size_t c, size_t l) {
      hn::StoreU(hn::Mul(Load(from + c, l), Constant(factor)), F32(), to + c);
    });
  }
}

// rows [n, width] -> to [blocks, width, kKeyBlock]: each block of rows transposed, zeros after the last row.
HWY_INLINE void PackTransposed(Rows2d<const float> rows, size_t n, size_t width, float* HWY_RESTRICT to) {
  for (size_t first = 0; first < n; first += kKeyBlock, to += width * kKeyBlock) {
    const size_t count = std::min(kKeyBlock, n - first);
    if (count < kKeyBlock) std::fill_n(to, width * kKeyBlock, 0.f);
    for (size_t j = 0; j < count; ++j) {
      const float* HWY_RESTRICT from = rows.row(static_cast<int64_t>(first + j));
      PrefetchRow(rows, first + j + kPrefetchRows, n, width);
      for (size_t c = 0; c < width; ++c) to[c * kKeyBlock + j] = from[c];
    }
  }
}

// -slope |position - key| for the keys first, first + 1, ...
HWY_INLINE V32 Bias(float slope, int64_t position, size_t first) {
  const F32 d;
  const V32 key = hn::Iota(d, static_cast<float>(static_cast<int64_t>(first) - position));
  return hn::Mul(Constant(-slope), hn::Abs(key));
}

// How many of the keys first .. first + count a query sees.
HWY_INLINE size_t VisibleInBlock(const AttentionHead<float>& head, size_t query, size_t first, size_t count) {
  const int64_t visible = head.visible(static_cast<int64_t>(query)) - static_cast<int64_t>(first);
  return static_cast<size_t>(std::clamp<int64_t>(visible, 0, static_cast<int64_t>(count)));
}

}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
