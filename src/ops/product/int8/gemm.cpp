#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product/int8/gemm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "ops/product/int8/gemm.h"
#include "ops/product/int8/product.h"
#include "ops/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

using VI32 = hn::Vec<I32>;

// A panel holds a group of numbers of each column, then the next group of each, and so on. A group fills 32
// bits in the vector that multiplies it.

// Pairs of 16-bit numbers: p q + p' q'.
struct Words {
  using Number = int16_t;
  static constexpr int kGroup = 2;
  // Where products of neighbours come in two vectors, twice as many sums are needed.
  static constexpr int kVectors = HWY_TARGET == HWY_NEON ? 2 : kTileVectors;
  static constexpr int kEnough = 1;  // sums at a time: only the last addition waits for the one before
  struct Sum {
    VI32 first, second;
    HWY_INLINE Sum() {}  // NOLINT(modernize-use-equals-default): g++ 12 would not compile it for NEON
    HWY_INLINE Sum(VI32 a, VI32 b) : first(a), second(b) {}
  };

  static HWY_INLINE Sum Start(const QuantizedRow&, bool) { return {hn::Zero(I32()), hn::Zero(I32())}; }
#if HWY_TARGET == HWY_SCALAR  // one lane, which cannot be seen as two
  static VI32 Load(const int8_t* group) {
    return hn::Set(I32(), std::bit_cast<int32_t>(std::array<int16_t, 2>{group[0], group[1]}));
  }
  static void Add(Sum& sum, VI32 p, VI32 q) {
    const auto a = std::bit_cast<std::array<int16_t, 2>>(p.raw),
               b = std::bit_cast<std::array<int16_t, 2>>(q.raw);
    sum.first.raw += a[0] * b[0] + a[1] * b[1];
  }
#else
  static HWY_INLINE VI32 Load(const int8_t* HWY_RESTRICT group) {
    const hn::RepartitionToNarrow<I32> d16;
    return hn::BitCast(I32(), hn::PromoteTo(d16, hn::Load(hn::Rebind<int8_t, decltype(d16)>(), group)));
  }
  static HWY_INLINE void Add(Sum& sum, VI32 p, VI32 q) {
#if HWY_TARGET == HWY_AVX2
    // 12 sums, two vectors of weights, p and this product: all 16 registers, which g++ 12 does not manage.
    decltype(p.raw) product;
    asm("vpmaddwd %[q], %[p], %[product]\n\tvpaddd %[product], %[sum], %[sum]"
        : [sum] "+x"(sum.first.raw), [product] "=&x"(product)
        : [p] "x"(p.raw), [q] "x"(q.raw));
#else
    const hn::RepartitionToNarrow<I32> d16;
    sum.first =
        hn::ReorderWidenMulAccumulate(I32(), hn::BitCast(d16, p), hn::BitCast(d16, q), sum.first, sum.second);
#if HWY_ARCH_X86
    asm("" : "+v"(sum.first.raw));  // g++ 12 would keep the sum in two registers
#endif
#endif
  }
#endif
  static HWY_INLINE VI32 Total(const Sum& sum) { return hn::RearrangeToOddPlusEven(sum.first, sum.second); }
  static int8_t Stored(int8_t q) { return q; }
};

// Four bytes:  sum p (q + 128) = sum p q + 128 sum p.  Highway 1.0 has no such operation. The instruction is
// written out because the surrounding code is compiled for all of AVX-512 or AVX2, including CPUs without
// VNNI. Each of the two has its own way to write it.
#define ATTUNE_VNNI (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2)
#if ATTUNE_VNNI
struct Vnni {
  using Number = int8_t;
  static constexpr int kGroup = 4;
  static constexpr int kVectors = kTileVectors;
  static constexpr int kEnough = 8;  // each waits for the one before
  using Sum = VI32;

  static HWY_INLINE Sum Start(const QuantizedRow& row, bool first) {
    return hn::Set(I32(), first ? -128 * row.sum : 0);
  }
  static HWY_INLINE VI32 Load(const int8_t* HWY_RESTRICT group) {
    return hn::BitCast(I32(), hn::Load(hn::Repartition<int8_t, I32>(), group));
  }
  static HWY_INLINE void Add(Sum& sum, VI32 p, VI32 q) {
#if HWY_TARGET == HWY_AVX3
    asm("vpdpbusd %[p], %[q], %[sum]" : [sum] "+v"(sum.raw) : [p] "v"(p.raw), [q] "v"(q.raw));
#else
    asm("%{vex%} vpdpbusd %[p], %[q], %[sum]" : [sum] "+x"(sum.raw) : [p] "x"(p.raw), [q] "x"(q.raw));
#endif
  }
  static HWY_INLINE VI32 Total(Sum sum) { return sum; }
  static int8_t Stored(int8_t q) { return static_cast<int8_t>(q ^ -128); }
};
bool HasVnni() {
  return (HWY_TARGET == HWY_AVX3 ? __builtin_cpu_supports("avx512vnni")
                                 : __builtin_cpu_supports("avxvnni")) != 0;
}
#else
bool HasVnni() { return false; }
#endif

// Calls body.operator()<scheme>().
template <class Body>
HWY_INLINE decltype(auto) WithScheme(Int8Scheme scheme, const Body& body) {
#if ATTUNE_VNNI
  if (scheme == Int8Scheme::vnni) return body.template operator()<Vnni>();
#endif
  (void)scheme;
  return body.template operator()<Words>();
}

size_t Int8PanelWidth(Int8Scheme scheme) {
  return WithScheme(scheme, []<class S>() { return S::kVectors * hn::Lanes(I32()); });
}

// Columns [first, first + width) of W^T; zeros beyond n and k.
void PackInt8Panel(Int8Scheme scheme, size_t k, size_t n, const int8_t* HWY_RESTRICT weight, size_t stride,
                   size_t first, int8_t* HWY_RESTRICT panel, size_t depth) {
  WithScheme(scheme, [&]<class S>() {
    const size_t width = S::kVectors * hn::Lanes(I32()), used = std::min(width, n - first);
    std::fill_n(panel, depth * width, S::Stored(0));
    for (size_t j = 0; j < used; ++j) {
      const int8_t* HWY_RESTRICT from = weight + (first + j) * stride;
      int8_t* HWY_RESTRICT to = panel + j * S::kGroup;
      size_t i = 0;
      for (; i + S::kGroup <= k; i += S::kGroup, to += width * S::kGroup)
        for (size_t q = 0; q < S::kGroup; ++q) to[q] = S::Stored(from[i + q]);
      for (size_t q = 0; i + q < k; ++q) to[q] = S::Stored(from[i + q]);
    }
  });
}

// The nearest whole numbers, |x| < 2^22. WebAssembly's conversion would look for NaN and overflow: adding
// 1.5 2^23 rounds in the same way, and leaves them in the lowest bits.
HWY_INLINE VI32 Nearest(V32 x) {
  if constexpr (HWY_TARGET != HWY_WASM) return hn::NearestInt(x);
  const V32 magic = Constant(12582912.f);
  return hn::Sub(hn::BitCast(I32(), hn::Add(x, magic)), hn::BitCast(I32(), magic));
}

// Writes whole vectors, padded with zeros.
template <class Number>
QuantizedRow QuantizeRow(const float* HWY_RESTRICT x, size_t k, Number* HWY_RESTRICT p) {
  const I32 di;
  VI32 most = hn::Zero(di);  // the bits of absolute values are in their order, infinity and NaN above all
  ForEachVector(
      k, [&](size_t i, size_t lanes) { most = hn::Max(most, hn::BitCast(di, hn::Abs(Load(x + i, lanes)))); });
  QuantizedRow row = row_of_largest(std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(di, most))));
  if (row.inverse == 0) {
    std::fill_n(p, k, Number{0});
    return row;
  }
  VI32 sum = hn::Zero(di);
  ForEachVector(k, [&](size_t i, size_t lanes) {
    const VI32 q = Nearest(hn::Mul(Load(x + i, lanes), Constant(row.inverse)));
    sum = hn::Add(sum, q);
    const hn::Rebind<Number, I32> narrow;
    hn::StoreU(hn::DemoteTo(narrow, q), narrow, p + i);
  });
  row.sum = hn::GetLane(hn::SumOfLanes(di, sum));
  return row;
}

// The products of a group of each row and column; on to the next group.
template <class S, int Rows>
HWY_INLINE void AddGroup(typename S::Sum (&sum)[Rows][S::kVectors], const typename S::Number* HWY_RESTRICT& p,
                         size_t p_stride, const int8_t* HWY_RESTRICT& panel) {
  const size_t lanes = hn::Lanes(I32());
  VI32 q[S::kVectors];
  HWY_UNROLL(4)
  for (int v = 0; v < S::kVectors; ++v, panel += lanes * S::kGroup) q[v] = S::Load(panel);
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) {
    int32_t group = 0;
    std::memcpy(&group, p + i * p_stride, sizeof(group));
    const VI32 numbers = hn::Set(I32(), group);
    HWY_UNROLL(4)
    for (int v = 0; v < S::kVectors; ++v) S::Add(sum[i][v], numbers, q[v]);
  }
  p += S::kGroup;
}

// C[Rows, one panel]. A few sums are split into two chains, so that they do not wait for each other. (A loop
// over the chains would keep all sums in memory: g++ 12.)
template <class S, int Rows, bool Accumulate>
HWY_INLINE void Int8Tile(size_t depth, const typename S::Number* HWY_RESTRICT p, size_t p_stride,
                         const QuantizedRow* HWY_RESTRICT rows, const int8_t* HWY_RESTRICT panel,
                         const float* HWY_RESTRICT scales, float* HWY_RESTRICT c, size_t c_stride,
                         Ahead ahead) {
  constexpr int kChains = Rows * S::kVectors < S::kEnough ? 2 : 1;
  const F32 d;
  const size_t lanes = hn::Lanes(d);
  typename S::Sum sum[kChains][Rows][S::kVectors];
  HWY_UNROLL(2)
  for (int h = 0; h < kChains; ++h) HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int v = 0; v < S::kVectors; ++v) sum[h][i][v] = S::Start(rows[i], h == 0);
  for (const int8_t* end = panel + S::kVectors * lanes * depth; panel != end;) {
    ahead.Fetch();
    AddGroup<S, Rows>(sum[0], p, p_stride, panel);
    if constexpr (kChains == 2) AddGroup<S, Rows>(sum[1], p, p_stride, panel);
  }
  HWY_UNROLL(6)
  for (int i = 0; i < Rows; ++i) HWY_UNROLL(4)
  for (int v = 0; v < S::kVectors; ++v) {
    VI32 total = S::Total(sum[0][i][v]);
    if constexpr (kChains == 2) total = hn::Add(total, S::Total(sum[1][i][v]));
    const V32 scale = hn::Mul(Constant(rows[i].scale), hn::LoadU(d, scales + v * lanes));
    const V32 product = hn::Mul(hn::ConvertTo(d, total), scale);
    float* HWY_RESTRICT to = c + i * c_stride + v * lanes;
    hn::StoreU(Accumulate ? hn::Add(hn::LoadU(d, to), product) : product, d, to);
  }
}

// One panel for all rows.
template <class S, bool Accumulate>
HWY_NOINLINE void Int8Rows(size_t m, size_t depth, const typename S::Number* p, size_t p_stride,
                           const QuantizedRow* rows, const int8_t* panel, const float* scales, float* c,
                           size_t c_stride) {
  const size_t tiles = (m + kTileRows - 1) / kTileRows, bytes = S::kVectors * hn::Lanes(I32()) * depth;
  Ahead next{reinterpret_cast<const char*>(panel + bytes), S::kGroup * bytes / depth / tiles};
  ForEqualTiles(m, [&]<int Rows>(size_t i) {
    Int8Tile<S, Rows, Accumulate>(depth, p + i * p_stride, p_stride, rows + i, panel, scales,
                                  c + i * c_stride, c_stride, next);
    next.Skip(depth / S::kGroup);
  });
}

template <class S, bool Accumulate>
void Int8Columns(const Int8Product& x) {
  constexpr size_t kMostRows = 12 * kTileRows;
  const size_t width = S::kVectors * hn::Lanes(I32()), stride = x.depth + hn::MaxLanes(F32());
  static thread_local std::vector<typename S::Number> numbers;
  numbers.resize(std::max(numbers.size(), std::min(x.m, kMostRows) * stride));
  QuantizedRow rows[kMostRows];
  HWY_ALIGN float last[kMostRows * S::kVectors * HWY_MAX_BYTES / sizeof(float)];
  for (size_t block = 0, blocks = (x.m + kMostRows - 1) / kMostRows; block < blocks; ++block) {
    const size_t first = x.m * block / blocks, count = x.m * (block + 1) / blocks - first;
    for (size_t i = 0; i < count; ++i) {
      typename S::Number* p = numbers.data() + i * stride;
      std::fill_n(p + x.k, x.depth - x.k, typename S::Number{0});
      rows[i] = QuantizeRow(x.a + (first + i) * x.a_stride, x.k, p);
    }
    float* to = x.c + first * x.c_stride;
    const auto multiply = [&](size_t column, float* result, size_t result_stride) {
      Int8Rows<S, Accumulate>(count, x.depth, numbers.data(), stride, rows, x.panels + column * x.depth,
                              x.scales + column, result, result_stride);
    };
    size_t j = x.begin;
    for (; j + width <= x.end; j += width) multiply(j, to + j, x.c_stride);
    if (j == x.end) continue;
    const size_t used = x.end - j;
    if (Accumulate)
      for (size_t i = 0; i < count; ++i) std::copy_n(to + i * x.c_stride + j, used, last + i * width);
    multiply(j, last, width);
    for (size_t i = 0; i < count; ++i) std::copy_n(last + i * width, used, to + i * x.c_stride + j);
  }
}

void MultiplyInt8(Int8Scheme scheme, const Int8Product& product, bool accumulate) {
  WithScheme(scheme, [&]<class S>() {
    if (accumulate)
      Int8Columns<S, true>(product);
    else
      Int8Columns<S, false>(product);
  });
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/check.h"
#include "base/threads/parallel.h"
#include "ops/shapes.h"

namespace attune {
namespace {

HWY_EXPORT(HasVnni);
HWY_EXPORT(Int8PanelWidth);
HWY_EXPORT(PackInt8Panel);
HWY_EXPORT(MultiplyInt8);

constexpr int64_t kDepth = 8;  // two chains of groups

}  // namespace

Int8Scheme fastest_int8_scheme() {
  static const bool only_words = [] {
    const char* value = std::getenv("ATTUNE_INT8");  // NOLINT(concurrency-mt-unsafe)
    const std::string_view bound = value != nullptr ? value : "";
    check(bound.empty() || bound == "words" || bound == "vnni", "ATTUNE_INT8={}: write words or vnni", bound);
    return bound == "words";
  }();
  return !only_words && HWY_DYNAMIC_DISPATCH(HasVnni)() ? Int8Scheme::vnni : Int8Scheme::words;
}

Int8Matrix::Int8Matrix(const Tensor& weight, Int8Scheme scheme)
    : ProductForm(weight.columns(), weight.rows()),
      scheme_(scheme),
      width_(static_cast<int64_t>(HWY_DYNAMIC_DISPATCH(Int8PanelWidth)(scheme))),
      depth_((k() + kDepth - 1) / kDepth * kDepth) {
  check(k() <= kLongestInt8Sum, "int8: a sum of {} numbers may overflow; at most {} are supported", k(),
        kLongestInt8Sum);
  const int64_t count = (n() + width_ - 1) / width_;
  panels_ = Tensor({count, depth_ * width_}, DType::i8);
  scales_ = Tensor::zeros({count * width_});
  std::ranges::copy(row_scales(weight), scales_.data<float>());
  parallel_for(count, 1 + 65536 / std::max<int64_t>(depth_ * width_, 1), [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) HWY_DYNAMIC_DISPATCH(PackInt8Panel)
    (scheme_, static_cast<size_t>(k()), static_cast<size_t>(n()), weight.data<int8_t>(),
     static_cast<size_t>(weight.row_stride()), static_cast<size_t>(panel * width_),
     row_of<int8_t>(panels_, panel), static_cast<size_t>(depth_));
  });
}

void Int8Matrix::multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c,
                          int64_t c_stride, bool accumulate) const {
  HWY_DYNAMIC_DISPATCH(MultiplyInt8)
  (scheme_,
   {.k = static_cast<size_t>(k()),
    .depth = static_cast<size_t>(depth_),
    .panels = panels_.data<int8_t>(),
    .scales = scales_.data<float>(),
    .a = a,
    .a_stride = static_cast<size_t>(a_stride),
    .c = c,
    .c_stride = static_cast<size_t>(c_stride),
    .m = static_cast<size_t>(m),
    .begin = static_cast<size_t>(columns.begin),
    .end = static_cast<size_t>(columns.end)},
   accumulate);
}

}  // namespace attune
#endif  // HWY_ONCE
