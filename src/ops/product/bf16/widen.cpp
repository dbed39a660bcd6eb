#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product/bf16/widen.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ops/product/bf16/product.h"
#include "ops/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

using U32 = hn::RebindToUnsigned<F32>;

// Columns at a time: as many as two vectors have, or all of a panel.
constexpr size_t kWidest = kBf16Panel;
HWY_INLINE size_t GroupWidth() { return std::min(2 * hn::Lanes(F32()), kWidest); }

// Columns [0, two vectors) of a few panels:  C [Rows, Panels of these] (+)= A B. An odd number of a pair is
// the upper half of 32 bits, and as an f32 number wrong only by the even one below it, which a mask removes.
template <int Rows, int Panels>
HWY_INLINE void WidenTile(size_t depth, const BFloat16* HWY_RESTRICT a, size_t a_stride,
                          const BFloat16* HWY_RESTRICT b, size_t panel_step, float* HWY_RESTRICT c,
                          size_t c_stride, bool adds) {
  const F32 d;
  const U32 du;
  const size_t lanes = hn::Lanes(d);
  V32 sum[Rows][Panels][2];
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int q = 0; q < Panels; ++q) HWY_UNROLL(2)
  for (int v = 0; v < 2; ++v)
    sum[i][q][v] = adds ? hn::LoadU(d, c + i * c_stride + q * kBf16Panel + v * lanes) : hn::Zero(d);
  const auto upper = hn::Set(du, 0xffff0000U);
  for (size_t p = 0; p < depth; p += 2, b += 2 * kBf16Panel) HWY_UNROLL(4)
  for (int q = 0; q < Panels; ++q) {
    V32 even[2], odd[2];
    HWY_UNROLL(2)
    for (int v = 0; v < 2; ++v) {
      const auto pairs = hn::LoadU(du, reinterpret_cast<const uint32_t*>(b + q * panel_step) + v * lanes);
      even[v] = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
      odd[v] = hn::BitCast(d, hn::And(pairs, upper));
    }
    HWY_UNROLL(6)
    for (int i = 0; i < Rows; ++i) {
      uint32_t pair = 0;
      std::memcpy(&pair, a + i * a_stride + p, sizeof(pair));
      const V32 x = hn::Set(d, std::bit_cast<float>(pair << 16U)),
                y = hn::Set(d, std::bit_cast<float>(pair & 0xffff0000U));
      HWY_UNROLL(2)
      for (int v = 0; v < 2; ++v) sum[i][q][v] = AddProduct(y, odd[v], AddProduct(x, even[v], sum[i][q][v]));
    }
  }
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int q = 0; q < Panels; ++q) HWY_UNROLL(2)
  for (int v = 0; v < 2; ++v) hn::StoreU(sum[i][q][v], d, c + i * c_stride + q * kBf16Panel + v * lanes);
}

constexpr size_t kDeep = 512;  // numbers of the sum at a time

// Panels for all rows, from c on; several only for one row.
template <int Panels>
HWY_INLINE void WidenPanels(const Bf16Product& x, size_t first, size_t rows, size_t column,
                            float* HWY_RESTRICT c, size_t c_stride) {
  const size_t group = GroupWidth(), panel_step = kBf16Panel * x.depth;
  for (size_t p = 0; p < x.depth; p += kDeep)
    for (size_t j = 0; j < kBf16Panel; j += group)
      ForEqualTiles(rows, [&]<int Rows>(size_t i) {
        if constexpr (Panels == 1 || Rows == 1)
          WidenTile<Rows, Panels>(std::min(kDeep, x.depth - p), x.a + (first + i) * x.a_stride + p,
                                  x.a_stride, x.panels + column * x.depth + p * kBf16Panel + 2 * j,
                                  panel_step, c + i * c_stride + j, c_stride, x.accumulate || p > 0);
      });
}

void MultiplyWiden(const Bf16Product& x) {
  constexpr size_t kRows = 12 * kTileRows;
  HWY_ALIGN float last[kRows * kBf16Panel];
  size_t begin = x.begin;
  if (x.m == 1)  // one row has too few sums that overlap: four panels at a time
    for (; begin + 4 * kBf16Panel <= x.end; begin += 4 * kBf16Panel)
      WidenPanels<4>(x, 0, 1, begin, x.c + begin, x.c_stride);
  for (size_t first = 0; first < x.m; first += kRows) {
    const size_t rows = std::min(kRows, x.m - first);
    size_t j = begin;
    for (; j + kBf16Panel <= x.end; j += kBf16Panel)
      WidenPanels<1>(x, first, rows, j, x.c + first * x.c_stride + j, x.c_stride);
    if (j >= x.end) continue;
    const size_t used = x.end - j;
    float* to = x.c + first * x.c_stride + j;
    if (x.accumulate)
      for (size_t i = 0; i < rows; ++i) std::copy_n(to + i * x.c_stride, used, last + i * kBf16Panel);
    WidenPanels<1>(x, first, rows, j, last, kBf16Panel);
    for (size_t i = 0; i < rows; ++i) std::copy_n(last + i * kBf16Panel, used, to + i * x.c_stride);
  }
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(MultiplyWiden);

void multiply_bf16_widen(const Bf16Product& product) { HWY_DYNAMIC_DISPATCH(MultiplyWiden)(product); }

}  // namespace attune
#endif  // HWY_ONCE
