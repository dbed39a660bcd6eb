#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product/packed_gemm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "ops/product/packed_gemm.h"
#include "ops/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

size_t PanelWidth() { return TileColumns(); }

// One panel: columns [first, first + width) of op(b), zeros beyond n. A transposed b is read along its rows,
// some steps at a time, so that the lines being written stay in the first-level cache.
void PackPanel(size_t k, size_t n, MatrixOf<const float> b, size_t first, float* HWY_RESTRICT panel) {
  constexpr size_t kSteps = 16;
  const size_t width = TileColumns(), used = std::min(width, n - first),
               stride = static_cast<size_t>(b.stride);
  if (used < width) std::fill_n(panel, k * width, 0.f);
  if (!b.transpose) {
    for (size_t p = 0; p < k; ++p) std::copy_n(b.data + p * stride + first, used, panel + p * width);
    return;
  }
  for (size_t p = 0; p < k; p += kSteps) {
    const size_t steps = std::min(kSteps, k - p);
    for (size_t j = 0; j < used; ++j) {
      const float* HWY_RESTRICT from = b.data + (first + j) * stride + p;
      for (size_t q = 0; q < steps; ++q) panel[(p + q) * width + j] = from[q];
    }
  }
}

// C[Rows, Panels panels] (+)= A[Rows, k] B. The sum over k runs in order for every element.
template <int Rows, int Panels, bool Accumulate>
HWY_INLINE void PanelTile(size_t k, const float* HWY_RESTRICT a, size_t a_stride,
                          const float* HWY_RESTRICT panels, size_t panel_step, float* HWY_RESTRICT c,
                          size_t c_stride, Ahead ahead) {
  const F32 d;
  const size_t lanes = hn::Lanes(d), width = TileColumns();
  V32 sum[Rows][Panels][kTileVectors];
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int p = 0; p < Panels; ++p) HWY_UNROLL(4)
  for (int v = 0; v < kTileVectors; ++v)
    sum[i][p][v] = Accumulate ? hn::LoadU(d, c + i * c_stride + p * width + v * lanes) : hn::Zero(d);
  for (const float* end = a + k; a != end; ++a, panels += width) {
    if constexpr (Panels == 1) ahead.Fetch();
    HWY_UNROLL(4)
    for (int p = 0; p < Panels; ++p) {
      V32 row[kTileVectors];
      HWY_UNROLL(4)
      for (int v = 0; v < kTileVectors; ++v) row[v] = hn::Load(d, panels + p * panel_step + v * lanes);
      HWY_UNROLL(6)
      for (int i = 0; i < Rows; ++i) {
        const V32 x = hn::Set(d, a[i * a_stride]);
        HWY_UNROLL(4)
        for (int v = 0; v < kTileVectors; ++v) sum[i][p][v] = AddProduct(x, row[v], sum[i][p][v]);
      }
    }
  }
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int p = 0; p < Panels; ++p) HWY_UNROLL(4)
  for (int v = 0; v < kTileVectors; ++v)
    hn::StoreU(sum[i][p][v], d, c + i * c_stride + p * width + v * lanes);
}

// If there are too few rows to keep the multipliers busy with one panel, take several panels.
constexpr int PanelsFor(int rows) {
  const int enough = 8;  // sums that overlap
  return (enough + rows * kTileVectors - 1) / (rows * kTileVectors);
}

// One panel for all rows.
template <bool Accumulate>
HWY_NOINLINE void PanelRows(size_t m, size_t k, const float* HWY_RESTRICT a, size_t a_stride,
                            const float* HWY_RESTRICT panel, float* HWY_RESTRICT c, size_t c_stride) {
  const size_t tiles = (m + kTileRows - 1) / kTileRows, width = TileColumns();
  Ahead next{reinterpret_cast<const char*>(panel + k * width), width / tiles * sizeof(float)};
  ForEqualTiles(m, [&]<int Rows>(size_t i) {
    PanelTile<Rows, 1, Accumulate>(k, a + i * a_stride, a_stride, panel, 0, c + i * c_stride, c_stride, next);
    next.Skip(k);
  });
}

// Several panels for few rows. Returns how many panels are done.
template <int Rows, bool Accumulate>
HWY_NOINLINE size_t ManyPanels(size_t count, size_t k, const float* HWY_RESTRICT a, size_t a_stride,
                               const float* HWY_RESTRICT panels, float* HWY_RESTRICT c, size_t c_stride) {
  constexpr int kPanels = PanelsFor(Rows);
  const size_t width = TileColumns();
  size_t p = 0;
  if constexpr (kPanels > 1)
    for (; p + kPanels <= count; p += kPanels)
      PanelTile<Rows, kPanels, Accumulate>(k, a, a_stride, panels + p * k * width, k * width, c + p * width,
                                           c_stride, {});
  return p;
}
template <bool Accumulate>
size_t FewRows(size_t m, size_t count, size_t k, const float* HWY_RESTRICT a, size_t a_stride,
               const float* HWY_RESTRICT panels, float* HWY_RESTRICT c, size_t c_stride) {
  if (m == 1) return ManyPanels<1, Accumulate>(count, k, a, a_stride, panels, c, c_stride);
  if (m == 2) return ManyPanels<2, Accumulate>(count, k, a, a_stride, panels, c, c_stride);
  if (m == 3) return ManyPanels<3, Accumulate>(count, k, a, a_stride, panels, c, c_stride);
  return 0;
}

// The sum over k is cut so that a panel's part stays in the first-level cache for all rows.
template <bool Accumulate>
HWY_INLINE void PanelProduct(size_t m, size_t k, const float* HWY_RESTRICT a, size_t a_stride,
                             const float* HWY_RESTRICT panel, float* HWY_RESTRICT c, size_t c_stride) {
  constexpr size_t kDepthBlock = 256;
  const size_t depth = m <= kTileRows ? k : std::min(k, kDepthBlock), width = TileColumns();
  PanelRows<Accumulate>(m, depth, a, a_stride, panel, c, c_stride);
  for (size_t q = depth; q < k; q += kDepthBlock)
    PanelRows<true>(m, std::min(kDepthBlock, k - q), a + q, a_stride, panel + q * width, c, c_stride);
}

// Columns [begin, end) of C. Rows are taken in even blocks that stay in the second-level cache while all
// panels are processed.
template <bool Accumulate>
void MultiplyColumns(size_t m, size_t begin, size_t end, size_t k, const float* panels, const float* a,
                     size_t a_stride, float* c, size_t c_stride) {
  constexpr size_t kMostRows = 24 * kTileRows;
  const size_t width = TileColumns(), blocks = (m + kMostRows - 1) / kMostRows;
  HWY_ALIGN float scratch[kMostRows * kTileVectors * HWY_MAX_BYTES / sizeof(float)];
  for (size_t block = 0; block < blocks; ++block) {
    const size_t i = m * block / blocks, rows = m * (block + 1) / blocks - i;
    const float* from = a + i * a_stride;
    float* to = c + i * c_stride;
    size_t j = begin + width * FewRows<Accumulate>(rows, (end - begin) / width, k, from, a_stride,
                                                   panels + begin * k, to + begin, c_stride);
    for (; j + width <= end; j += width)
      PanelProduct<Accumulate>(rows, k, from, a_stride, panels + j * k, to + j, c_stride);
    if (j == end) continue;
    const size_t used = end - j;
    if (Accumulate)
      for (size_t r = 0; r < rows; ++r) std::copy_n(to + r * c_stride + j, used, scratch + r * width);
    PanelProduct<Accumulate>(rows, k, from, a_stride, panels + j * k, scratch, width);
    for (size_t r = 0; r < rows; ++r) std::copy_n(scratch + r * width, used, to + r * c_stride + j);
  }
}

void MultiplyPanels(size_t m, size_t begin, size_t end, size_t k, const float* panels, const float* a,
                    size_t a_stride, float* c, size_t c_stride, bool accumulate) {
  if (accumulate)
    MultiplyColumns<true>(m, begin, end, k, panels, a, a_stride, c, c_stride);
  else
    MultiplyColumns<false>(m, begin, end, k, panels, a, a_stride, c, c_stride);
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/threads/parallel.h"

namespace attune {

HWY_EXPORT(PanelWidth);
HWY_EXPORT(PackPanel);
HWY_EXPORT(MultiplyPanels);

PackedMatrix::PackedMatrix(int64_t k, int64_t n, MatrixOf<const float> b,
                           const std::function<void(int64_t, int64_t)>& packed)
    : ProductForm(k, n) {
  const auto width = static_cast<int64_t>(HWY_DYNAMIC_DISPATCH(PanelWidth)());
  const int64_t count = (n + width - 1) / width;
  panels_ = Tensor({count, k, width});
  float* panels = panels_.data<float>();
  parallel_for(count, 1 + 65536 / std::max<int64_t>(k * width, 1), [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      HWY_DYNAMIC_DISPATCH(PackPanel)
      (static_cast<size_t>(k), static_cast<size_t>(n), b, static_cast<size_t>(panel * width),
       panels + panel * k * width);
      if (packed) packed(panel * width, std::min(n, (panel + 1) * width));
    }
  });
}

void PackedMatrix::multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c,
                            int64_t c_stride, bool accumulate) const {
  if (k() == 0) {
    for (int64_t i = 0; i < m && !accumulate; ++i)
      std::fill(c + i * c_stride + columns.begin, c + i * c_stride + columns.end, 0.f);
    return;
  }
  HWY_DYNAMIC_DISPATCH(MultiplyPanels)
  (static_cast<size_t>(m), static_cast<size_t>(columns.begin), static_cast<size_t>(columns.end),
   static_cast<size_t>(k()), panels_.data<float>(), a, static_cast<size_t>(a_stride), c,
   static_cast<size_t>(c_stride), accumulate);
}

namespace {

constexpr int64_t kSquare = 16;  // numbers of a cache line

// to[rows, columns] = alpha from^T, of one square at most: both sides are read and written in whole lines.
void transpose_square(int64_t rows, int64_t columns, const float* from, int64_t from_stride, float alpha,
                      float* to, int64_t to_stride) {
  float square[kSquare][kSquare];
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) square[i][j] = alpha * from[j * from_stride + i];
  for (int64_t i = 0; i < rows; ++i) std::copy_n(square[i], columns, to + i * to_stride);
}

// alpha op(a) [m, k and a line]: rows that lie a power of two apart would share their places in the cache.
Tensor scaled_rows(int64_t m, int64_t k, MatrixOf<const float> a, float alpha) {
  Tensor rows({m, k + kSquare});
  const int64_t stride = rows.columns();
  float* to = rows.data<float>();
  parallel_for((m + kSquare - 1) / kSquare, 1 + 65536 / (kSquare * k), [&](int64_t first, int64_t last) {
    for (int64_t i = first * kSquare; i < std::min(last * kSquare, m); i += kSquare) {
      const int64_t count = std::min(kSquare, m - i);
      for (int64_t q = 0; a.transpose && q < k; q += kSquare)
        transpose_square(count, std::min(kSquare, k - q), a.data + q * a.stride + i, a.stride, alpha,
                         to + i * stride + q, stride);
      for (int64_t r = i; !a.transpose && r < i + count; ++r)
        std::transform(a.data + r * a.stride, a.data + r * a.stride + k, to + r * stride,
                       [alpha](float x) { return alpha * x; });
    }
  });
  return rows;
}

}  // namespace

void packed_gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                 MatrixOf<float> c, float alpha, float beta) {
  const PackedMatrix packed(k, n, b);
  Tensor rows;
  if (a.transpose || alpha != 1) {
    rows = scaled_rows(m, k, a, alpha);
    a = {rows.data<float>(), rows.columns()};
  }
  if (beta != 0 && beta != 1)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) c.data[i * c.stride + j] *= beta;
  packed.multiply_parallel(m, a.data, a.stride, c.data, c.stride, beta != 0);
}

}  // namespace attune
#endif  // HWY_ONCE
