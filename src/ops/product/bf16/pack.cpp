// Two ways to make pairs of bf16 numbers, each of 32 bits: of neighbours in a row (A as it is, B transposed),
// and of two rows (A transposed, B as it is). Pairs that are not where they belong yet are transposed.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product/bf16/pack.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstring>

#include "ops/product/bf16/pack.h"
#include "ops/product/bf16/product.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

using U32 = hn::RebindToUnsigned<F32>;
using VU32 = hn::Vec<U32>;

// As BFloat16(x): the result is the upper half; the lower one is not defined.
HWY_INLINE VU32 Rounded(V32 x) {
  const U32 du;
  const VU32 u = hn::BitCast(du, x);
  const VU32 odd = hn::And(hn::ShiftRight<16>(u), hn::Set(du, 1));
  const VU32 near = hn::Add(u, hn::Add(odd, hn::Set(du, 0x7fff)));
  return hn::IfThenElse(hn::MaskFromVec(hn::BitCast(du, hn::VecFromMask(F32(), hn::IsNaN(x)))),
                        hn::Or(u, hn::Set(du, 0x400000)), near);
}

// n numbers of a row, and zeros up to `whole`. `to` may be where `from` is: what is written there has been
// read.
HWY_INLINE void RoundRow(const float* from, size_t n, BFloat16* to, size_t whole) {
  const hn::Rebind<uint16_t, F32> d16;
  const size_t lanes = hn::Lanes(F32());
  const auto round = [&](const float* x, BFloat16* y) {
    hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(Rounded(hn::LoadU(F32(), x)))), d16,
               reinterpret_cast<uint16_t*>(y));
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) round(from + i, to + i);
  if (i < n) {
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    HWY_ALIGN BFloat16 last[HWY_MAX_BYTES / sizeof(float)];
    std::memcpy(rest, from + i, (n - i) * sizeof(float));
    round(rest, last);
    std::memcpy(to + i, last, (n - i) * sizeof(BFloat16));
  }
  std::memset(static_cast<void*>(to + n), 0, (whole - n) * sizeof(BFloat16));
}
HWY_INLINE void RoundRow(const BFloat16* HWY_RESTRICT from, size_t n, BFloat16* HWY_RESTRICT to,
                         size_t whole) {
  std::copy_n(from, n, to);
  std::fill(to + n, to + whole, BFloat16(0.f));
}

void WidenRows(size_t rows, size_t width, const BFloat16* HWY_RESTRICT from, size_t stride,
               float* HWY_RESTRICT to) {
  const hn::Rebind<uint16_t, F32> d16;
  // The rows of a head are far apart: hardware prefetching sees no pattern.
  constexpr size_t kAhead = 6, kLine = 64 / sizeof(BFloat16);
  const size_t lanes = hn::Lanes(F32());
  for (size_t r = 0; r < rows; ++r, from += stride, to += width) {
    size_t i = 0;
    for (size_t c = 0; r + kAhead < rows && c < width; c += kLine) hwy::Prefetch(from + kAhead * stride + c);
    for (; i + lanes <= width; i += lanes) {
      const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from + i));
      hn::StoreU(hn::BitCast(F32(), hn::ShiftLeft<16>(hn::PromoteTo(U32(), bits))), F32(), to + i);
    }
    for (; i < width; ++i) to[i] = static_cast<float>(from[i]);
  }
}

HWY_INLINE uint32_t Pair(BFloat16 first, BFloat16 second) {
  return static_cast<uint32_t>(second.bits) << 16U | first.bits;
}
HWY_INLINE VU32 PairVector(const float* HWY_RESTRICT first, const float* HWY_RESTRICT second) {
  const U32 du;
  return hn::Or(hn::ShiftRight<16>(Rounded(hn::LoadU(F32(), first))),
                hn::And(Rounded(hn::LoadU(F32(), second)), hn::Set(du, 0xffff0000U)));
}
HWY_INLINE VU32 PairVector(const BFloat16* HWY_RESTRICT first, const BFloat16* HWY_RESTRICT second) {
  const hn::Rebind<uint16_t, F32> d16;
  const U32 du;
  const auto wide = [&](const BFloat16* from) {
    return hn::PromoteTo(du, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from)));
  };
  return hn::Or(wide(first), hn::ShiftLeft<16>(wide(second)));
}

// Pairs of two rows, n columns, and zeros up to `whole`. The second row may be null: zeros.
template <class T>
HWY_INLINE void PairRows(const T* HWY_RESTRICT first, const T* HWY_RESTRICT second, size_t n,
                         uint32_t* HWY_RESTRICT to, size_t whole) {
  const size_t lanes = hn::Lanes(U32());
  size_t j = 0;
  if (second != nullptr)
    for (; j + lanes <= n; j += lanes) hn::StoreU(PairVector(first + j, second + j), U32(), to + j);
  for (; j < n; ++j)
    to[j] = Pair(BFloat16(first[j]), second != nullptr ? BFloat16(second[j]) : BFloat16(0.f));
  std::fill(to + j, to + whole, 0U);
}

constexpr size_t kSide = 32;  // of the square of pairs that is transposed at a time
struct Square {
  static constexpr size_t kStride = kSide + 4;  // 16-byte rows that do not share cache sets
  HWY_ALIGN uint32_t pairs[kSide * kStride];
  uint32_t* row(size_t i) { return pairs + i * kStride; }
};

// The transpose of a square, row i at to + i * stride, for the first `rows` of it.
HWY_INLINE void Transpose(Square& square, size_t rows, uint32_t* HWY_RESTRICT to, size_t stride) {
#if HWY_TARGET == HWY_SCALAR
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < kSide; ++j) to[i * stride + j] = square.row(j)[i];
#else
  const hn::FixedTag<uint32_t, 4> d;
  const hn::FixedTag<uint64_t, 2> d64;
  const auto join = [&](auto a, auto b, auto how) {
    return hn::BitCast(d, how(hn::BitCast(d64, a), hn::BitCast(d64, b)));
  };
  const auto lower = [&](auto a, auto b) { return hn::InterleaveLower(d64, a, b); };
  const auto upper = [&](auto a, auto b) { return hn::InterleaveUpper(d64, a, b); };
  for (size_t i = 0; i < rows; i += 4)
    for (size_t j = 0; j < kSide; j += 4) {
      const auto a = hn::LoadU(d, square.row(j) + i), b = hn::LoadU(d, square.row(j + 1) + i),
                 e = hn::LoadU(d, square.row(j + 2) + i), f = hn::LoadU(d, square.row(j + 3) + i);
      const auto ab = hn::InterleaveLower(d, a, b), ef = hn::InterleaveLower(d, e, f),
                 ab2 = hn::InterleaveUpper(d, a, b), ef2 = hn::InterleaveUpper(d, e, f);
      uint32_t* place = to + i * stride + j;
      hn::StoreU(join(ab, ef, lower), d, place);
      if (i + 1 < rows) hn::StoreU(join(ab, ef, upper), d, place + stride);
      if (i + 2 < rows) hn::StoreU(join(ab2, ef2, lower), d, place + 2 * stride);
      if (i + 3 < rows) hn::StoreU(join(ab2, ef2, upper), d, place + 3 * stride);
    }
#endif
}

// Rows [begin, end) of op(a) [m, k].
template <class T>
void RoundRows(size_t k, MatrixOf<const T> a, size_t begin, size_t end, BFloat16* to, size_t stride,
               size_t depth) {
  const auto a_stride = static_cast<size_t>(a.stride);
  if (!a.transpose) {
    for (size_t i = begin; i < end; ++i) RoundRow(a.data + i * a_stride, k, to + i * stride, depth);
    return;
  }
  Square square;
  for (size_t i = begin; i < end; i += kSide) {
    const size_t rows = std::min(kSide, end - i);
    for (size_t p = 0; p < depth; p += 2 * kSide) {
      for (size_t q = 0; q < kSide; ++q) {
        const size_t first = p + 2 * q;
        const T* from = a.data + first * a_stride + i;
        if (first < k)
          PairRows(from, first + 1 < k ? from + a_stride : nullptr, rows, square.row(q), kSide);
        else
          std::fill_n(square.row(q), kSide, 0U);
      }
      if (p + 2 * kSide <= depth) {
        Transpose(square, rows, reinterpret_cast<uint32_t*>(to + i * stride + p), stride / 2);
        continue;
      }
      uint32_t last[kSide * kSide];
      Transpose(square, rows, last, kSide);
      for (size_t r = 0; r < rows; ++r)
        std::memcpy(to + (i + r) * stride + p, last + r * kSide, (depth - p) * sizeof(BFloat16));
    }
  }
}

// The panel of columns [first, first + 32) of op(b) [k, n].
template <class T>
void PackPanel(size_t k, size_t n, MatrixOf<const T> b, size_t first, BFloat16* HWY_RESTRICT panel,
               size_t depth) {
  const size_t used = std::min(kBf16Panel, n - first), stride = static_cast<size_t>(b.stride);
  auto* pairs = reinterpret_cast<uint32_t*>(panel);
  if (!b.transpose) {
    size_t p = 0;
    for (; p < k; p += 2, pairs += kBf16Panel) {
      const T* from = b.data + p * stride + first;
      PairRows(from, p + 1 < k ? from + stride : nullptr, used, pairs, kBf16Panel);
    }
    std::fill(panel + (k + 1) / 2 * 2 * kBf16Panel, panel + depth * kBf16Panel, BFloat16(0.f));
    return;
  }
  Square square;
  for (size_t j = used; j < kSide; ++j) std::fill_n(square.row(j), kSide, 0U);
  for (size_t p = 0; p < depth; p += 2 * kSide) {
    const size_t numbers = p < k ? std::min(2 * kSide, k - p) : 0;
    for (size_t j = 0; j < used; ++j)
      RoundRow(b.data + (first + j) * stride + p, numbers, reinterpret_cast<BFloat16*>(square.row(j)),
               2 * kSide);
    Transpose(square, std::min(kSide, (depth - p) / 2), pairs + p / 2 * kBf16Panel, kBf16Panel);
  }
}

void RoundFloats(size_t k, MatrixOf<const float> a, size_t begin, size_t end, BFloat16* to, size_t stride,
                 size_t depth) {
  RoundRows(k, a, begin, end, to, stride, depth);
}
void MoveBf16(size_t k, MatrixOf<const BFloat16> a, size_t begin, size_t end, BFloat16* to, size_t stride,
              size_t depth) {
  RoundRows(k, a, begin, end, to, stride, depth);
}
void PackFloats(size_t k, size_t n, MatrixOf<const float> b, size_t first, BFloat16* panel, size_t depth) {
  PackPanel(k, n, b, first, panel, depth);
}
void PackBf16(size_t k, size_t n, MatrixOf<const BFloat16> b, size_t first, BFloat16* panel, size_t depth) {
  PackPanel(k, n, b, first, panel, depth);
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/check.h"
#include "base/threads/parallel.h"
#include "tensor/storage.h"

namespace attune {
namespace {

HWY_EXPORT(WidenRows);
HWY_EXPORT(RoundFloats);
HWY_EXPORT(MoveBf16);
HWY_EXPORT(PackFloats);
HWY_EXPORT(PackBf16);

size_t unsigned_of(int64_t x) { return static_cast<size_t>(x); }

void round_rows(const Roundable& a, size_t k, size_t begin, size_t end, BFloat16* to, size_t stride,
                size_t depth) {
  if (const auto* floats = std::get_if<MatrixOf<const float>>(&a))
    HWY_DYNAMIC_DISPATCH(RoundFloats)(k, *floats, begin, end, to, stride, depth);
  else
    HWY_DYNAMIC_DISPATCH(MoveBf16)
  (k, std::get<MatrixOf<const BFloat16>>(a), begin, end, to, stride, depth);
}

void pack_panel(const Roundable& b, size_t k, size_t n, size_t first, BFloat16* panel, size_t depth) {
  if (const auto* floats = std::get_if<MatrixOf<const float>>(&b))
    HWY_DYNAMIC_DISPATCH(PackFloats)(k, n, *floats, first, panel, depth);
  else
    HWY_DYNAMIC_DISPATCH(PackBf16)(k, n, std::get<MatrixOf<const BFloat16>>(b), first, panel, depth);
}

constexpr int64_t kWorthAThread = 1 << 15;  // numbers

}  // namespace

int64_t bf16_depth(int64_t k) {
  constexpr auto kBlock = static_cast<int64_t>(kBf16Depth);
  return (k + kBlock - 1) / kBlock * kBlock;
}

// With rows a power of two apart, the rows of a tile would share cache sets.
int64_t rounded_stride(int64_t k) {
  constexpr int64_t kLine = 32;
  return bf16_depth(k) + kLine;
}

void round_here(int64_t begin, int64_t end, int64_t k, const Roundable& a, BFloat16* to) {
  const size_t stride = unsigned_of(rounded_stride(k));
  round_rows(a, unsigned_of(k), unsigned_of(begin), unsigned_of(end), to - unsigned_of(begin) * stride,
             stride, unsigned_of(bf16_depth(k)));
}

Tensor rounded_in_place(const Tensor& x) {
  const int64_t n = x.columns(), depth = bf16_depth(n), stride = 2 * x.row_stride();
  check(depth <= stride, "bf16: rows of {} numbers that are {} apart cannot be rounded in place", n,
        x.row_stride());
  auto* const to = reinterpret_cast<BFloat16*>(x.data<float>());
  parallel_for(x.rows(), 1 + kWorthAThread / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      round_rows(MatrixOf<const float>{x.data<float>() + r * x.row_stride(), 0}, unsigned_of(n), 0, 1,
                 to + r * stride, 0, unsigned_of(depth));
  });
  return Tensor::borrow({x.rows(), stride}, DType::bf16, reinterpret_cast<std::byte*>(to), x.storage())
      .view_columns(0, n);
}

Tensor rounded(int64_t m, int64_t k, const Roundable& a) {
  constexpr int64_t kRows = 32;
  const Tensor to({m, rounded_stride(k)}, DType::bf16);
  parallel_for((m + kRows - 1) / kRows, 1 + kWorthAThread / (kRows * std::max<int64_t>(k, 1)),
               [&](int64_t begin, int64_t end) {
                 round_rows(a, unsigned_of(k), unsigned_of(begin * kRows),
                            unsigned_of(std::min(end * kRows, m)), to.data<BFloat16>(),
                            unsigned_of(to.row_stride()), unsigned_of(bf16_depth(k)));
               });
  return to.view_columns(0, k);
}

Tensor rounded(const Tensor& x) {
  return rounded(x.rows(), x.columns(), MatrixOf<const float>{x.data<float>(), x.row_stride()});
}

void widen_here(int64_t rows, int64_t width, const BFloat16* from, int64_t stride, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenRows)
  (unsigned_of(rows), unsigned_of(width), from, unsigned_of(stride), to);
}

Tensor shared_rounded(const Tensor& x) {
  auto& shared = x.storage()->rounded;
  const int64_t stride = rounded_stride(x.columns());
  const bool whole = unsigned_of(x.size()) * sizeof(float) == x.storage()->bytes;
  if (const auto copy = whole ? shared.lock() : nullptr;
      copy && copy->bytes == unsigned_of(x.rows() * stride) * sizeof(BFloat16))
    return Tensor::borrow({x.rows(), stride}, DType::bf16, copy->memory, copy).view_columns(0, x.columns());
  Tensor copy = rounded(x);
  if (whole) shared = copy.storage();
  return copy;
}

Tensor in_f32(const Tensor& x) {
  const Tensor to({x.rows(), x.columns()});
  parallel_for(x.rows(), 1 + kWorthAThread / std::max<int64_t>(x.columns(), 1),
               [&](int64_t begin, int64_t end) {
                 widen_here(end - begin, x.columns(), x.data<BFloat16>() + begin * x.row_stride(),
                            x.row_stride(), to.data<float>() + begin * x.columns());
               });
  return to;
}

Tensor bf16_panels(int64_t k, int64_t n, const Roundable& b,
                   const std::function<void(int64_t, int64_t)>& packed) {
  constexpr auto kWidth = static_cast<int64_t>(kBf16Panel);
  const int64_t depth = bf16_depth(k), count = (n + kWidth - 1) / kWidth;
  const Tensor panels({count, depth * kWidth}, DType::bf16);
  parallel_for(count, 1 + kWorthAThread / std::max<int64_t>(depth * kWidth, 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t panel = begin; panel < end; ++panel) {
                   pack_panel(b, unsigned_of(k), unsigned_of(n), unsigned_of(panel * kWidth),
                              panels.data<BFloat16>() + panel * depth * kWidth, unsigned_of(depth));
                   if (packed) packed(panel * kWidth, std::min(n, (panel + 1) * kWidth));
                 }
               });
  return panels;
}

}  // namespace attune
#endif  // HWY_ONCE
