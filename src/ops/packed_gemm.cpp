#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/packed_gemm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "ops/packed_gemm.h"
#include "ops/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

size_t PanelWidth() { return TileColumns(); }

// One panel: columns [first, first + width) of op(b), zeros beyond n. A transposed b is read along its rows,
// some steps at a time, so that the lines written to stay in the first-level cache.
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

// Rows are taken in even blocks that stay in the first-level cache while all panels pass by; the sum over k
// is cut so that a panel's part stays there too.
void MultiplyPanels(size_t m, size_t n, size_t k, const float* panels, const float* a, size_t a_stride,
                    float* c, size_t c_stride, bool accumulate) {
  constexpr size_t kMostRows = 12 * kTileRows, kDepthBlock = 256;
  const size_t blocks = (m + kMostRows - 1) / kMostRows;
  const size_t block_rows =
      blocks == 0 ? 0 : ((m + blocks - 1) / blocks + kTileRows - 1) / kTileRows * kTileRows;
  const size_t width = TileColumns();
  HWY_ALIGN float scratch[kMostRows * kTileVectors * HWY_MAX_BYTES / sizeof(float)];
  for (size_t i = 0; i < m; i += block_rows) {
    const size_t rows = std::min(block_rows, m - i);
    for (size_t j = 0; j < n; j += width) {
      const size_t used = std::min(width, n - j);
      const bool whole = used == width;
      float* to = whole ? c + i * c_stride + j : scratch;
      const size_t to_stride = whole ? c_stride : width;
      if (!whole && accumulate)
        for (size_t r = 0; r < rows; ++r) std::copy_n(c + (i + r) * c_stride + j, used, scratch + r * width);
      for (size_t p = 0; p < k; p += kDepthBlock) {
        const size_t depth = std::min(kDepthBlock, k - p);
        const TileA block{a + i * a_stride + p, a_stride, 1};
        const float* panel = panels + j * k + p * width;
        if (p > 0 || accumulate)
          TileRows<kTileVectors, true>(rows, depth, block, panel, width, to, to_stride);
        else
          TileRows<kTileVectors, false>(rows, depth, block, panel, width, to, to_stride);
      }
      if (!whole)
        for (size_t r = 0; r < rows; ++r) std::copy_n(scratch + r * width, used, c + (i + r) * c_stride + j);
    }
  }
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/parallel.h"

namespace attune {

HWY_EXPORT(PanelWidth);
HWY_EXPORT(PackPanel);
HWY_EXPORT(MultiplyPanels);

PackedMatrix::PackedMatrix(int64_t k, int64_t n, MatrixOf<const float> b) : k_(k), n_(n) {
  const auto width = static_cast<int64_t>(HWY_DYNAMIC_DISPATCH(PanelWidth)());
  const int64_t count = (n + width - 1) / width;
  panels_ = Tensor({count, k, width});
  float* panels = panels_.data<float>();
  parallel_for(count, 1 + 65536 / std::max<int64_t>(k * width, 1), [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) HWY_DYNAMIC_DISPATCH(PackPanel)
    (static_cast<size_t>(k), static_cast<size_t>(n), b, static_cast<size_t>(panel * width),
     panels + panel * k * width);
  });
}

void PackedMatrix::multiply(int64_t m, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                            bool accumulate) const {
  if (k_ == 0) {
    for (int64_t i = 0; i < m && !accumulate; ++i) std::fill_n(c + i * c_stride, n_, 0.f);
    return;
  }
  HWY_DYNAMIC_DISPATCH(MultiplyPanels)
  (static_cast<size_t>(m), static_cast<size_t>(n_), static_cast<size_t>(k_), panels_.data<float>(), a,
   static_cast<size_t>(a_stride), c, static_cast<size_t>(c_stride), accumulate);
}

}  // namespace attune
#endif  // HWY_ONCE
