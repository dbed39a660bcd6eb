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

// The bias of a query for the keys j, j + 1, ...; null if there is none.
template <class T>
HWY_INLINE T* BiasOf(T* bias, int64_t position, size_t j) {
  return bias == nullptr ? nullptr : bias + (static_cast<int64_t>(j) - position);
}

struct Range {
  size_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

// The keys that any of the queries i0 .. i0 + m sees.
HWY_INLINE Range SeenByBlock(const AttentionHead<float>& head, size_t i0, size_t m) {
  if (head.centres == nullptr)
    return {static_cast<size_t>(head.first(static_cast<int64_t>(i0))),
            static_cast<size_t>(head.last(static_cast<int64_t>(i0 + m - 1)))};
  int64_t first = head.keys, last = 0;
  for (size_t i = i0; i < i0 + m; ++i) {
    first = std::min(first, head.first(static_cast<int64_t>(i)));
    last = std::max(last, head.last(static_cast<int64_t>(i)));
  }
  return {static_cast<size_t>(first), static_cast<size_t>(last)};
}

// Which of the keys first .. first + count a query sees, counted from `first`.
HWY_INLINE Range SeenInBlock(const AttentionHead<float>& head, size_t query, size_t first, size_t count) {
  const auto within = [&](int64_t key) {
    return static_cast<size_t>(
        std::clamp<int64_t>(key - static_cast<int64_t>(first), 0, static_cast<int64_t>(count)));
  };
  return {within(head.first(static_cast<int64_t>(query))), within(head.last(static_cast<int64_t>(query)))};
}

}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
