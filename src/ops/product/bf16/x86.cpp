// Products of bf16 numbers by instructions that neither Highway 1.0 nor the compiler's default target has.
// Each function is compiled for them; multiply_bf16() is only asked for what the CPU has.
#include "ops/product/bf16/product.h"

#if defined(__x86_64__) && defined(__linux__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

namespace attune {
namespace {

constexpr size_t kTile = 16;  // rows, or columns, of a tile of C
constexpr size_t kBlock = 2 * kTile;
constexpr size_t kDeep = 1024;  // numbers of the sum at a time: B's part stays in the second-level cache
constexpr size_t kTall = 512;   // rows at a time: so does A's
constexpr size_t kDotRows = 8;  // of a tile of pairs

// Calls body(first number, count, first row, count) for the parts of a product.
template <class Body>
void for_parts(const Bf16Product& x, const Body& body) {
  for (size_t p = 0; p < x.depth; p += kDeep)
    for (size_t i = 0; i < x.m; i += kTall)
      body(p, std::min(kDeep, x.depth - p), i, std::min(kTall, x.m - i));
}

// The last panel may be narrower than 32 columns: its results go through memory of full width.
class Columns {
 public:
  Columns(const Bf16Product& x, size_t column, size_t row, size_t rows, bool adds)
      : to_(x.c + row * x.c_stride + column),
        stride_(x.c_stride),
        used_(std::min(kBf16Panel, x.end - column)),
        rows_(rows) {
    if (used_ < kBf16Panel && adds)
      for (size_t i = 0; i < rows_; ++i) std::copy_n(to_ + i * stride_, used_, whole_ + i * kBf16Panel);
  }
  ~Columns() {
    if (used_ < kBf16Panel)
      for (size_t i = 0; i < rows_; ++i) std::copy_n(whole_ + i * kBf16Panel, used_, to_ + i * stride_);
  }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  float* data() { return used_ < kBf16Panel ? whole_ : to_; }
  size_t stride() const { return used_ < kBf16Panel ? kBf16Panel : stride_; }

 private:
  float* to_;
  size_t stride_, used_, rows_;
  alignas(64) float whole_[kBlock * kBf16Panel];
};

// Which of the tiles 0 to 7 has how many rows of 64 bytes: the sums of 32 x 32 numbers of C are in 0 to 3,
// A's two tiles are 4 and 5, B's 6 and 7.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {};
  uint8_t rows[16] = {};

  explicit TileShapes(size_t m) {
    std::fill_n(bytes, 8, uint16_t{64});
    const auto upper = static_cast<uint8_t>(std::min(m, kTile)),
               lower = static_cast<uint8_t>(m > kTile ? std::min(m, kBlock) - kTile : kTile);
    const uint8_t all[8] = {upper, upper, lower, lower, upper, lower, kTile, kTile};
    std::copy_n(all, 8, rows);
  }
};

// The compiler does not know that loading a tile reads memory: what was written before has to be there.
inline void finish_writing() { asm volatile("" : : : "memory"); }

struct TileSums {
  size_t depth;
  const BFloat16* a;
  size_t a_bytes;  // from row to row
  const BFloat16* panel;
  float* c;
  size_t c_bytes;
  bool adds;
  // Part of the next panel, to bring into the second-level cache meanwhile: so many numbers for each pair.
  const BFloat16* ahead = nullptr;
  size_t ahead_step = 0;
};

// C [17 to 32 rows, 32] (+)= A B
__attribute__((target("amx-tile,amx-bf16"))) void two_tiles(const TileSums& x) {
  finish_writing();
  float* lower = x.c + kTile * x.c_bytes / sizeof(float);
  if (x.adds) {
    _tile_loadd(0, x.c, x.c_bytes);
    _tile_loadd(1, x.c + kTile, x.c_bytes);
    _tile_loadd(2, lower, x.c_bytes);
    _tile_loadd(3, lower + kTile, x.c_bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    // A tile is stored row by row, each to another page of memory: by then the lines should be in the cache
    // (416 -> 782 GFLOP/s for 1536 x 1024 x 256 outside of it).
    for (size_t i = 0; i < kBlock; ++i) {
      const float* row = x.c + i * x.c_bytes / sizeof(float);
      __builtin_prefetch(row, 1);
      __builtin_prefetch(row + kTile, 1);
    }
  }
  const BFloat16 *a = x.a, *a_lower = x.a + kTile * x.a_bytes / sizeof(BFloat16), *b = x.panel;
  constexpr size_t kPairBytes = 2 * kBf16Panel * sizeof(BFloat16);
  for (size_t p = 0; p < x.depth; p += kBf16Depth) {
    _tile_loadd(4, a + p, x.a_bytes);
    _tile_loadd(6, b + p * kBf16Panel, kPairBytes);
    _tile_loadd(7, b + p * kBf16Panel + kBf16Depth, kPairBytes);
    _tile_loadd(5, a_lower + p, x.a_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, x.c, x.c_bytes);
  _tile_stored(1, x.c + kTile, x.c_bytes);
  _tile_stored(2, lower, x.c_bytes);
  _tile_stored(3, lower + kTile, x.c_bytes);
}

// C [1 to 16 rows, 32] (+)= A B
__attribute__((target("amx-tile,amx-bf16"))) void one_tile(const TileSums& x) {
  finish_writing();
  if (x.adds) {
    _tile_loadd(0, x.c, x.c_bytes);
    _tile_loadd(1, x.c + kTile, x.c_bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
  }
  constexpr size_t kPairBytes = 2 * kBf16Panel * sizeof(BFloat16);
  for (size_t p = 0; p < x.depth; p += kBf16Depth) {
    _tile_loadd(4, x.a + p, x.a_bytes);
    _tile_loadd(6, x.panel + p * kBf16Panel, kPairBytes);
    _tile_loadd(7, x.panel + p * kBf16Panel + kBf16Depth, kPairBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
  }
  _tile_stored(0, x.c, x.c_bytes);
  _tile_stored(1, x.c + kTile, x.c_bytes);
}

// Rows [i, i + rows) of the columns of x.
__attribute__((target("amx-tile"))) void amx_rows(const Bf16Product& x, size_t p, size_t depth, size_t i,
                                                  size_t rows) {
  const bool adds = x.accumulate || p > 0;
  size_t shaped = 0;  // the number of rows that the tiles are set up for
  for (size_t j = x.begin; j < x.end; j += kBf16Panel)
    for (size_t r = 0; r < rows; r += kBlock) {
      const size_t count = std::min(kBlock, rows - r);
      if (count != shaped) {
        const TileShapes shapes(count);
        asm volatile("ldtilecfg %0" : : "m"(shapes));  // the compiler's intrinsic reads 8 bytes only
        shaped = count;
      }
      Columns columns(x, j, i + r, count, adds);
      (count > kTile ? two_tiles : one_tile)(
          {depth, x.a + (i + r) * x.a_stride + p, x.a_stride * sizeof(BFloat16),
           x.panels + j * x.depth + p * kBf16Panel, columns.data(), columns.stride() * sizeof(float), adds});
    }
}

// C [Rows, 32] (+)= A B. All loops over the sums are unrolled, so that these stay in registers.
template <int Rows, bool Ahead = false>
__attribute__((target("avx512f,avx512bw,avx512bf16"))) void dot_tile(const TileSums& x) {
  const size_t c_stride = x.c_bytes / sizeof(float), a_stride = x.a_bytes / sizeof(BFloat16);
  __m512 sum[Rows][2];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    sum[r][0] = x.adds ? _mm512_loadu_ps(x.c + r * c_stride) : _mm512_setzero_ps();
    sum[r][1] = x.adds ? _mm512_loadu_ps(x.c + r * c_stride + kTile) : _mm512_setzero_ps();
    if (!x.adds) {  // a place in C is cold as a rule
      __builtin_prefetch(x.c + r * c_stride, 1);
      __builtin_prefetch(x.c + r * c_stride + kTile, 1);
    }
  }
  const BFloat16 *b = x.panel, *ahead = x.ahead;
  for (size_t p = 0; p < x.depth; p += 2, b += 2 * kBf16Panel, ahead += x.ahead_step) {
    if constexpr (Ahead) __builtin_prefetch(ahead, 0, 2);
    const __m512i left = _mm512_loadu_si512(b), right = _mm512_loadu_si512(b + kBf16Panel);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      int32_t pair = 0;
      std::memcpy(&pair, x.a + r * a_stride + p, sizeof(pair));
      const __m512i both = _mm512_set1_epi32(pair);
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], (__m512bh)both, (__m512bh)left);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], (__m512bh)both, (__m512bh)right);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    _mm512_storeu_ps(x.c + r * c_stride, sum[r][0]);
    _mm512_storeu_ps(x.c + r * c_stride + kTile, sum[r][1]);
  }
}

using DotTile = void (*)(const TileSums&);
constexpr DotTile kDotTiles[] = {nullptr,     dot_tile<1>, dot_tile<2>, dot_tile<3>,
                                 dot_tile<4>, dot_tile<5>, dot_tile<6>, dot_tile<7>};

}  // namespace

__attribute__((target("amx-tile"))) void multiply_bf16_amx(const Bf16Product& x) {
  for_parts(x, [&](size_t p, size_t depth, size_t i, size_t rows) { amx_rows(x, p, depth, i, rows); });
  _tile_release();
}

void multiply_bf16_dot(const Bf16Product& x) {
  for_parts(x, [&](size_t p, size_t depth, size_t i, size_t rows) {
    const bool adds = x.accumulate || p > 0;
    // Fewer rows than a whole tile fetch nothing: with one row that took 1.1 times as long.
    const DotTile whole = x.panels_are_cold ? dot_tile<kDotRows, true> : dot_tile<kDotRows>;
    const size_t ahead_step = 2 * kBf16Panel / std::max<size_t>(rows / kDotRows, 1);
    for (size_t j = x.begin; j < x.end; j += kBf16Panel) {
      const BFloat16 *panel = x.panels + j * x.depth + p * kBf16Panel, *ahead = panel + kBf16Panel * x.depth;
      for (size_t r = 0; r < rows; r += kDotRows, ahead += ahead_step * depth / 2) {
        const size_t count = std::min(kDotRows, rows - r);
        Columns columns(x, j, i + r, count, adds);
        const DotTile tile = count == kDotRows ? whole : kDotTiles[count];
        tile({depth, x.a + (i + r) * x.a_stride + p, x.a_stride * sizeof(BFloat16), panel, columns.data(),
              columns.stride() * sizeof(float), adds, ahead, ahead_step});
      }
    }
  });
}

}  // namespace attune

#else

#include "base/check.h"

namespace attune {

void multiply_bf16_amx(const Bf16Product&) { fail("bf16: this CPU has no AMX"); }
void multiply_bf16_dot(const Bf16Product&) { fail("bf16: this CPU has no AVX-512 BF16"); }

}  // namespace attune
#endif
