#include "ops/recurrence/recurrence_gates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/recurrence/recurrence_gates.cpp"
#include <hwy/foreach_target.h>

#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

// 1 - x
HWY_INLINE V32 OneMinus(V32 x) { return hn::Sub(Constant(1.f), x); }
// dy s'(x) for y = s(x)
HWY_INLINE V32 SigmoidGradient(V32 dy, V32 y) { return hn::Mul(dy, hn::Mul(y, OneMinus(y))); }
// dy tanh'(x) for y = tanh(x)
HWY_INLINE V32 TanhGradient(V32 dy, V32 y) { return hn::Mul(dy, hn::NegMulAdd(y, y, Constant(1.f))); }

void RnnForward(const GatesForward& t, size_t n) {
  ForEachVector(n, [&](size_t j, size_t lanes) {
    const V32 y = Tanh(hn::Add(Load(t.gates + j, lanes), Load(t.bias + j, lanes)));
    Store(y, t.gates + j, lanes);
    Store(y, t.h + j, lanes);
  });
}

void GruForward(const GatesForward& t, size_t n) {
  ForEachVector(n, [&](size_t j, size_t lanes) {
    const auto sum = [&](size_t block) {
      return hn::Add(Load(t.gates + block * n + j, lanes), Load(t.bias + block * n + j, lanes));
    };
    const V32 r = Sigmoid(sum(0)), z = Sigmoid(sum(1)), q = sum(2), y = Tanh(AddProduct(r, q, sum(3)));
    Store(r, t.gates + j, lanes);
    Store(z, t.gates + n + j, lanes);
    Store(q, t.gates + 2 * n + j, lanes);
    Store(y, t.gates + 3 * n + j, lanes);
    Store(AddProduct(z, Load(t.h + j, lanes), hn::Mul(OneMinus(z), y)), t.h + j, lanes);
  });
}

void LstmForward(const GatesForward& t, size_t n) {
  ForEachVector(n, [&](size_t j, size_t lanes) {
    const auto sum = [&](size_t block) {
      return hn::Add(Load(t.gates + block * n + j, lanes), Load(t.bias + block * n + j, lanes));
    };
    const V32 i = Sigmoid(sum(0)), f = Sigmoid(sum(1)), g = Tanh(sum(2)), o = Sigmoid(sum(3));
    Store(i, t.gates + j, lanes);
    Store(f, t.gates + n + j, lanes);
    Store(g, t.gates + 2 * n + j, lanes);
    Store(o, t.gates + 3 * n + j, lanes);
    const V32 c = AddProduct(f, Load(t.c + j, lanes), hn::Mul(i, g));
    Store(c, t.c + j, lanes);
    Store(hn::Mul(o, Tanh(c)), t.h + j, lanes);
  });
}

void RnnBackward(const GatesBackward& t, size_t n) {
  ForEachVector(n, [&](size_t j, size_t lanes) {
    const V32 dh = hn::Add(Load(t.dh + j, lanes), Load(t.dh_outer + j, lanes));
    Store(TanhGradient(dh, Load(t.gates + j, lanes)), t.gates + j, lanes);
  });
}

void GruBackward(const GatesBackward& t, size_t n) {
  ForEachVector(n, [&](size_t j, size_t lanes) {
    const V32 r = Load(t.gates + j, lanes), z = Load(t.gates + n + j, lanes),
              q = Load(t.gates + 2 * n + j, lanes), y = Load(t.gates + 3 * n + j, lanes);
    const V32 dh = hn::Add(Load(t.dh + j, lanes), Load(t.dh_outer + j, lanes));
    const V32 dz = SigmoidGradient(hn::Mul(dh, hn::Sub(Load(t.h_before + j, lanes), y)), z);
    const V32 dn = TanhGradient(hn::Mul(dh, OneMinus(z)), y);
    Store(SigmoidGradient(hn::Mul(dn, q), r), t.gates + j, lanes);
    Store(dz, t.gates + n + j, lanes);
    Store(hn::Mul(dn, r), t.gates + 2 * n + j, lanes);
    Store(dn, t.gates + 3 * n + j, lanes);
    Store(hn::Mul(dh, z), t.dh + j, lanes);
  });
}

void LstmBackward(const GatesBackward& t, size_t n) {
  ForEachVector(n, [&](size_t j, size_t lanes) {
    const V32 i = Load(t.gates + j, lanes), f = Load(t.gates + n + j, lanes),
              g = Load(t.gates + 2 * n + j, lanes), o = Load(t.gates + 3 * n + j, lanes);
    const V32 dh = hn::Add(Load(t.dh + j, lanes), Load(t.dh_outer + j, lanes));
    const V32 y = Tanh(Load(t.c_after + j, lanes));
    const V32 dc =
        hn::Add(hn::Add(Load(t.dc + j, lanes), Load(t.dc_outer + j, lanes)), TanhGradient(hn::Mul(dh, o), y));
    Store(SigmoidGradient(hn::Mul(dc, g), i), t.gates + j, lanes);
    Store(SigmoidGradient(hn::Mul(dc, Load(t.c_before + j, lanes)), f), t.gates + n + j, lanes);
    Store(TanhGradient(hn::Mul(dc, i), g), t.gates + 2 * n + j, lanes);
    Store(SigmoidGradient(hn::Mul(dh, y), o), t.gates + 3 * n + j, lanes);
    Store(hn::Mul(dc, f), t.dc + j, lanes);
  });
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(RnnForward);
HWY_EXPORT(GruForward);
HWY_EXPORT(LstmForward);
HWY_EXPORT(RnnBackward);
HWY_EXPORT(GruBackward);
HWY_EXPORT(LstmBackward);

void gates_forward(Cell cell, const GatesForward& token, int64_t h) {
  const auto n = static_cast<size_t>(h);
  switch (cell) {
    case Cell::rnn: return HWY_DYNAMIC_DISPATCH(RnnForward)(token, n);
    case Cell::gru: return HWY_DYNAMIC_DISPATCH(GruForward)(token, n);
    case Cell::lstm: return HWY_DYNAMIC_DISPATCH(LstmForward)(token, n);
  }
}

void gates_backward(Cell cell, const GatesBackward& token, int64_t h) {
  const auto n = static_cast<size_t>(h);
  switch (cell) {
    case Cell::rnn: return HWY_DYNAMIC_DISPATCH(RnnBackward)(token, n);
    case Cell::gru: return HWY_DYNAMIC_DISPATCH(GruBackward)(token, n);
    case Cell::lstm: return HWY_DYNAMIC_DISPATCH(LstmBackward)(token, n);
  }
}

}  // namespace attune
#endif  // HWY_ONCE
