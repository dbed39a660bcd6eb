// Vector functions for kernels. Included once for each CPU target (see Highway's foreach_target.h), hence the
// unusual guard.
#if defined(ATTUNE_OPS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTUNE_OPS_SIMD_INL_H_
#undef ATTUNE_OPS_SIMD_INL_H_
#else
#define ATTUNE_OPS_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
using V32 = hn::Vec<F32>;

HWY_INLINE V32 Constant(float x) { return hn::Set(F32(), x); }

// x y + sum. WebAssembly's two instructions, in the order in which a page makes one of them where the browser
// has it (web/src/engine/fused.ts).
HWY_INLINE V32 AddProduct(V32 x, V32 y, V32 sum) {
#if HWY_TARGET == HWY_WASM
  asm("local.get %1\n local.get %2\n f32x4.mul\n local.get %3\n f32x4.add\n local.set %0"
      : "=r"(sum.raw)
      : "r"(x.raw), "r"(y.raw), "r"(sum.raw));
  return sum;
#else
  return hn::MulAdd(x, y, sum);
#endif
}

// x = n ln(2) + r with whole n and |r| <= ln(2) / 2, for |x| < 2^21: adding 1.5 2^23 rounds to a whole number
// and leaves it in the lowest bits.
struct Reduced {
  hn::Vec<I32> n;
  V32 r;
};
HWY_INLINE Reduced ReduceByLn2(V32 x) {
  const V32 magic = Constant(12582912.f), shifted = AddProduct(x, Constant(1.44269504f), magic);
  const V32 n = hn::Sub(shifted, magic);
  const V32 r = AddProduct(n, Constant(2.12194440e-4f), AddProduct(n, Constant(-0.693359375f), x));
  return {hn::Sub(hn::BitCast(I32(), shifted), hn::BitCast(I32(), magic)), r};
}

// 2^n for -127 < n < 128
HWY_INLINE V32 PowerOfTwo(hn::Vec<I32> n) {
  return hn::BitCast(F32(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(I32(), 127))));
}

// exp(r) for |r| <= ln(2) / 2: Taylor polynomial of degree 6
HWY_INLINE V32 ExpOfSmall(V32 r) {
  V32 p = Constant(1.f / 720);
  p = AddProduct(p, r, Constant(1.f / 120));
  p = AddProduct(p, r, Constant(1.f / 24));
  p = AddProduct(p, r, Constant(1.f / 6));
  p = AddProduct(p, r, Constant(0.5f));
  p = AddProduct(p, r, Constant(1.f));
  return AddProduct(p, r, Constant(1.f));
}

// exp(x) for |x| <= 87.3, where it cannot overflow.
HWY_INLINE V32 ExpOfModerate(V32 x) {
  const Reduced x0 = ReduceByLn2(x);
  return hn::Mul(ExpOfSmall(x0.r), PowerOfTwo(x0.n));
}

// The nearest number within a limit; NaN stays NaN. On x86 that depends on the order of the arguments, and
// NEON's own operations prefer the number.
HWY_INLINE V32 AtLeast(V32 limit, V32 x) {
  return HWY_TARGET == HWY_NEON ? hn::IfThenElse(hn::Lt(x, limit), limit, x) : hn::Max(limit, x);
}
HWY_INLINE V32 AtMost(V32 limit, V32 x) {
  return HWY_TARGET == HWY_NEON ? hn::IfThenElse(hn::Gt(x, limit), limit, x) : hn::Min(limit, x);
}

constexpr float kSmallestExponent = -87.336544f, kLargestExponent = 88.722839f;

// exp(x) to 2e-7; 0 below -87.3 (so also for -inf) and +inf above 88.7; NaN stays NaN.
HWY_INLINE V32 Exp(V32 x) {
  const Reduced x0 = ReduceByLn2(AtMost(Constant(kLargestExponent), AtLeast(Constant(kSmallestExponent), x)));
  const auto half = hn::ShiftRight<1>(x0.n);  // 2^n in two factors, because n may be 128
  const V32 y = hn::Mul(hn::Mul(ExpOfSmall(x0.r), PowerOfTwo(half)), PowerOfTwo(hn::Sub(x0.n, half)));
  const V32 above = hn::IfThenElse(hn::Gt(x, Constant(kLargestExponent)), hn::Inf(F32()), y);
  return hn::IfThenZeroElse(hn::Lt(x, Constant(kSmallestExponent)), above);
}

// exp(x) for x <= 0, for softmax; NaN stays NaN.
HWY_INLINE V32 ExpOfNegative(V32 x) {
  const V32 y = ExpOfModerate(AtLeast(Constant(kSmallestExponent), x));
  return hn::IfThenZeroElse(hn::Lt(x, Constant(kSmallestExponent)), y);
}

// 1 / (1 + exp(-x))
HWY_INLINE V32 Sigmoid(V32 x) { return hn::Div(Constant(1.f), hn::Add(Constant(1.f), Exp(hn::Neg(x)))); }

// tanh(x) = 1 - 2 / (exp(2x) + 1), and its Taylor polynomial where that suffers from cancellation.
HWY_INLINE V32 Tanh(V32 x) {
  const V32 far = hn::Sub(Constant(1.f), hn::Div(Constant(2.f), hn::Add(Exp(hn::Add(x, x)), Constant(1.f))));
  const V32 s = hn::Mul(x, x);
  V32 p = Constant(-1382.f / 155925);
  p = AddProduct(p, s, Constant(62.f / 2835));
  p = AddProduct(p, s, Constant(-17.f / 315));
  p = AddProduct(p, s, Constant(2.f / 15));
  p = AddProduct(p, s, Constant(-1.f / 3));
  const V32 near = AddProduct(hn::Mul(p, s), x, x);
  return hn::IfThenElse(hn::Lt(hn::Abs(x), Constant(0.3f)), near, far);
}

// The error function to 1.5e-7 (Abramowitz and Stegun 7.1.26).
HWY_INLINE V32 Erf(V32 x) {
  const V32 a = hn::Abs(x);
  const V32 t = hn::Div(Constant(1.f), AddProduct(Constant(0.3275911f), a, Constant(1.f)));
  V32 p = Constant(1.061405429f);
  p = AddProduct(p, t, Constant(-1.453152027f));
  p = AddProduct(p, t, Constant(1.421413741f));
  p = AddProduct(p, t, Constant(-0.284496736f));
  p = AddProduct(p, t, Constant(0.254829592f));
  const V32 y = hn::NegMulAdd(hn::Mul(p, t), ExpOfNegative(hn::Neg(hn::Mul(a, a))), Constant(1.f));
  return hn::CopySign(y, x);
}

// Loads and stores of the `count` first lanes; the other lanes hold zero. Nothing beyond is read or written:
// AVX can mask memory; on other targets Highway's masked operations touch whole vectors.
constexpr bool kMasksMemory = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

HWY_INLINE V32 LoadFirst(const float* HWY_RESTRICT from, size_t count) {
  const F32 d;
  if constexpr (kMasksMemory) return hn::MaskedLoad(hn::FirstN(d, count), d, from);
  HWY_ALIGN float lanes[hn::MaxLanes(F32())] = {};
  for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
}
HWY_INLINE void StoreFirst(V32 v, float* HWY_RESTRICT to, size_t count) {
  const F32 d;
  if constexpr (kMasksMemory) return hn::BlendedStore(v, hn::FirstN(d, count), d, to);
  HWY_ALIGN float lanes[hn::MaxLanes(F32())];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
}

// Calls body(i, lanes) for i = 0, L, 2L, ...: whole vectors have lanes = L, the last one may have fewer.
template <class Body>
HWY_INLINE void ForEachVector(size_t n, const Body& body) {
  const size_t lanes = hn::Lanes(F32());
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) body(i, lanes);
  if (i < n) body(i, n - i);
}

HWY_INLINE V32 Load(const float* HWY_RESTRICT from, size_t count) {
  return count == hn::Lanes(F32()) ? hn::LoadU(F32(), from) : LoadFirst(from, count);
}
HWY_INLINE void Store(V32 v, float* HWY_RESTRICT to, size_t count) {
  if (count == hn::Lanes(F32()))
    hn::StoreU(v, F32(), to);
  else
    StoreFirst(v, to, count);
}

}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
