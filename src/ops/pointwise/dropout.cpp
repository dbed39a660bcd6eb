// A block of 128 columns takes 16 Philox counters (lanes) of eight 16-bit numbers (halves): column half * 16
// + lane of the block is kept if its number is at least p 2^16.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/dropout.cpp"
#include <hwy/foreach_target.h>

#include <cmath>

#include "ops/pointwise/dropout.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

using U32 = hn::RebindToUnsigned<F32>;
using VU32 = hn::Vec<U32>;

struct Product {
  VU32 low, high;
};

// The 64-bit products of 32-bit lanes.
HWY_INLINE Product Multiply(VU32 x, uint32_t factor) {
  const U32 d;
#if HWY_TARGET == HWY_SCALAR
  const uint64_t product = uint64_t{hn::GetLane(x)} * factor;
  return {hn::Set(d, static_cast<uint32_t>(product)), hn::Set(d, static_cast<uint32_t>(product >> 32))};
#else
  const hn::Repartition<uint64_t, U32> wide;
  const VU32 f = hn::Set(d, factor);
  const auto even = hn::MulEven(x, f);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x))), f);
  return {hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even)),
          hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)))};
#endif
}

// philox() of attune/random.h, a counter in each lane.
HWY_INLINE void Philox(VU32 (&c)[4], uint64_t key) {
  const U32 d;
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const Product p0 = Multiply(c[0], 0xD2511F53), p1 = Multiply(c[2], 0xCD9E8D57);
    c[0] = hn::Xor(p1.high, hn::Xor(c[1], hn::Set(d, k0)));
    c[1] = p1.low;
    c[2] = hn::Xor(p0.high, hn::Xor(c[3], hn::Set(d, k1)));
    c[3] = p0.low;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
}

void Factors(uint64_t key, uint64_t row, uint32_t first_counter, size_t blocks, uint32_t threshold,
             float keep, float* HWY_RESTRICT factors) {
  const U32 d;
  const F32 f;
  const size_t lanes = hn::Lanes(d);
  const auto limit = hn::Set(I32(), static_cast<int32_t>(threshold));
  for (size_t block = 0; block < blocks; ++block, first_counter += 16, factors += kDropoutBlock)
    for (size_t lane = 0; lane < 16; lane += lanes) {
      VU32 words[4] = {hn::Iota(d, first_counter + static_cast<uint32_t>(lane)),
                       hn::Set(d, static_cast<uint32_t>(row)), hn::Set(d, static_cast<uint32_t>(row >> 32)),
                       hn::Zero(d)};
      Philox(words, key);
      for (int w = 0; w < 4; ++w) {
        const auto factor = [&](VU32 number) {
          return hn::IfThenZeroElse(hn::RebindMask(f, hn::Lt(hn::BitCast(I32(), number), limit)),
                                    hn::Set(f, keep));
        };
        float* to = factors + w * 32 + lane;
        hn::StoreU(factor(hn::And(words[w], hn::Set(d, 0xffff))), f, to);
        hn::StoreU(factor(hn::ShiftRight<16>(words[w])), f, to + 16);
      }
    }
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attune/autograd.h"
#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

HWY_EXPORT(Factors);

uint32_t threshold(const Dropout& dropout) { return static_cast<uint32_t>(std::lround(dropout.p * 65536)); }
double keep(const Dropout& dropout) { return 1 / (1 - dropout.p); }

// Row r of y = x * factor
void dropped_row_fast(const Dropout& dropout, int64_t r, const float* x, float* y, int64_t n) {
  constexpr int64_t kAtOnce = 8 * kDropoutBlock;
  float factors[kAtOnce];
  for (int64_t begin = 0; begin < n; begin += kAtOnce) {
    const int64_t count = std::min(n - begin, kAtOnce);
    dropout_factors(dropout, r, begin, count, factors);
    for (int64_t c = 0; c < count; ++c) y[begin + c] = x[begin + c] * factors[c];
  }
}

template <class T>
void dropped_row_reference(const Dropout& dropout, int64_t r, const T* x, T* y, int64_t n) {
  for (int64_t c = 0; c < n; ++c) y[c] = x[c] * static_cast<T>(dropout_factor(dropout, r, c));
}

template <class T>
constexpr Kernels<void(const Dropout&, int64_t, const T*, T*, int64_t)> dropped_rows{
    f32_only<T>(dropped_row_fast), dropped_row_reference<T>};

Tensor dropped(const Tensor& x, const Dropout& dropout) {
  Tensor y(x.shape(), x.dtype());
  const int64_t n = x.columns();
  dispatch(x.dtype(), [&]<class T>() {
    const auto row = dropped_rows<T>.chosen();
    parallel_for(x.rows(), 1 + 8192 / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) row(dropout, r, row_of<T>(x, r), y.data<T>() + r * n, n);
    });
  });
  return y;
}

}  // namespace

double dropout_factor(const Dropout& dropout, int64_t row, int64_t column) {
  const auto block = static_cast<uint32_t>(column / kDropoutBlock),
             within = static_cast<uint32_t>(column % kDropoutBlock);
  const uint32_t lane = within % 16, half = within / 16;
  const auto words =
      philox({block * 16 + lane, static_cast<uint32_t>(row), static_cast<uint32_t>(row >> 32), 0},
             dropout.random.key());
  const uint32_t number = words[half / 2] >> (half % 2 * 16) & 0xffff;
  return number >= threshold(dropout) ? keep(dropout) : 0;
}

void dropout_factors(const Dropout& dropout, int64_t row, int64_t begin, int64_t count, float* factors) {
  HWY_DYNAMIC_DISPATCH(Factors)
  (dropout.random.key(), static_cast<uint64_t>(row), static_cast<uint32_t>(begin / kDropoutBlock * 16),
   static_cast<size_t>(whole_dropout_blocks(count) / kDropoutBlock), threshold(dropout),
   static_cast<float>(keep(dropout)), factors);
}

void check_dropout(std::string_view op, const Dropout& dropout) {
  check(dropout.p >= 0 && dropout.p < 1, "{}: dropout must be at least 0 and below 1, but is {}", op,
        dropout.p);
}

Tensor dropout(const Tensor& x, const Dropout& dropout) {
  check_float("dropout", {&x});
  check_dropout("dropout", dropout);
  if (dropout.p == 0) return x;
  Tensor y = dropped(x, dropout);
  if (recording(x))
    record("dropout", y, {x}, [dropout](const Tensor& dy) { return Grads{dropped(dy, dropout)}; });
  return y;
}

}  // namespace attune
#endif  // HWY_ONCE
