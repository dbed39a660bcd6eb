// A small matrix product in registers, the core of kernels that are fused around one. Included once for each
// CPU target.
#if defined(ATTUNE_OPS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTUNE_OPS_TILE_INL_H_
#undef ATTUNE_OPS_TILE_INL_H_
#else
#define ATTUNE_OPS_TILE_INL_H_
#endif

#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {

// A tile of C is kTileRows x kTileVectors vectors: as many accumulators as the registers can hold besides B's
// row. Browsers leave fewer of them to WebAssembly: with 4 rows it is 1.3 times as fast as with 6.
constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON;
constexpr int kTileRows = HWY_TARGET == HWY_WASM ? 4 : 6;
constexpr int kTileVectors = kManyRegisters ? 4 : 2;
HWY_INLINE size_t TileColumns() { return kTileVectors * hn::Lanes(F32()); }

// The matrix that the next tiles need, brought into the second-level cache meanwhile: `step` bytes for each
// step of the sum.
struct Ahead {
  const char* from = nullptr;
  size_t step = 0;

  HWY_INLINE void Fetch() {
    __builtin_prefetch(from, 0, 2);
    from += step;
  }
  void Skip(size_t steps) { from += steps * step; }
};

struct TileA {  // element (i, p) at data[i * row + p * column]
  const float* data;
  size_t row, column;
};

// C[Rows, NV vectors] = A[Rows, k] B[k, NV vectors], or += if Accumulate. The sum over k runs in order for
// every element, whatever the number of rows: a row's result does not depend on its neighbours.
template <int Rows, int NV, bool Accumulate>
HWY_INLINE void RegisterTile(size_t k, TileA a, const float* HWY_RESTRICT b, size_t b_row,
                             float* HWY_RESTRICT c, size_t c_row) {
  const F32 d;
  const size_t lanes = hn::Lanes(d);
  V32 sum[Rows][NV];
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int v = 0; v < NV; ++v) sum[i][v] = Accumulate ? hn::LoadU(d, c + i * c_row + v * lanes) : hn::Zero(d);
  for (size_t p = 0; p < k; ++p, a.data += a.column, b += b_row) {
    V32 row[NV];
    HWY_UNROLL(4)
    for (int v = 0; v < NV; ++v) row[v] = hn::LoadU(d, b + v * lanes);
    HWY_UNROLL(6)
    for (int i = 0; i < Rows; ++i) {
      const V32 x = hn::Set(d, a.data[i * a.row]);
      HWY_UNROLL(4)
      for (int v = 0; v < NV; ++v) sum[i][v] = AddProduct(x, row[v], sum[i][v]);
    }
  }
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int v = 0; v < NV; ++v) hn::StoreU(sum[i][v], d, c + i * c_row + v * lanes);
}

// tile.operator()<Rows>(first) for tiles of almost equal size that cover m rows: very small tiles would wait
// for their own sums.
template <class Tile>
HWY_INLINE void ForEqualTiles(size_t m, const Tile& tile) {
  static_assert(kTileRows <= 6);
  const size_t tiles = (m + kTileRows - 1) / kTileRows;
  for (size_t t = 0, i = 0; t < tiles; ++t) {
    const size_t rows = m * (t + 1) / tiles - i;
    switch (rows) {
      case 6: tile.template operator()<std::min(6, kTileRows)>(i); break;
      case 5: tile.template operator()<std::min(5, kTileRows)>(i); break;
      case 4: tile.template operator()<4>(i); break;
      case 3: tile.template operator()<3>(i); break;
      case 2: tile.template operator()<2>(i); break;
      default: tile.template operator()<1>(i);
    }
    i += rows;
  }
}

template <int NV, bool Accumulate>
HWY_NOINLINE void TileRows(size_t m, size_t k, TileA a, const float* HWY_RESTRICT b, size_t b_row,
                           float* HWY_RESTRICT c, size_t c_row) {
  static_assert(kTileRows <= 6);
  size_t i = 0;
  for (; i + kTileRows <= m; i += kTileRows)
    RegisterTile<kTileRows, NV, Accumulate>(k, {a.data + i * a.row, a.row, a.column}, b, b_row, c + i * c_row,
                                            c_row);
  const TileA rest{a.data + i * a.row, a.row, a.column};
  switch (m - i) {
    case 5: return RegisterTile<5, NV, Accumulate>(k, rest, b, b_row, c + i * c_row, c_row);
    case 4: return RegisterTile<4, NV, Accumulate>(k, rest, b, b_row, c + i * c_row, c_row);
    case 3: return RegisterTile<3, NV, Accumulate>(k, rest, b, b_row, c + i * c_row, c_row);
    case 2: return RegisterTile<2, NV, Accumulate>(k, rest, b, b_row, c + i * c_row, c_row);
    case 1: return RegisterTile<1, NV, Accumulate>(k, rest, b, b_row, c + i * c_row, c_row);
    default: return;
  }
}

// C[m, n] = A[m, k] B[k, n], or += if Accumulate. Rows of B and C hold n rounded up to whole vectors.
template <bool Accumulate>
HWY_INLINE void TileProduct(size_t m, size_t n, size_t k, TileA a, const float* HWY_RESTRICT b, size_t b_row,
                            float* HWY_RESTRICT c, size_t c_row) {
  const size_t lanes = hn::Lanes(F32());
  size_t j = 0;
  for (; j + (kTileVectors - 1) * lanes < n; j += kTileVectors * lanes)
    TileRows<kTileVectors, Accumulate>(m, k, a, b + j, b_row, c + j, c_row);
  if constexpr (kTileVectors > 2)
    for (; j + lanes < n; j += 2 * lanes) TileRows<2, Accumulate>(m, k, a, b + j, b_row, c + j, c_row);
  for (; j < n; j += lanes) TileRows<1, Accumulate>(m, k, a, b + j, b_row, c + j, c_row);
}

// n rounded up to whole vectors.
HWY_INLINE size_t WholeVectors(size_t n) {
  const size_t lanes = hn::Lanes(F32());
  return (n + lanes - 1) / lanes * lanes;
}

}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
