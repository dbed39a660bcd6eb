#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/norm_rows.cpp"
#include <hwy/foreach_target.h>

#include <cmath>

#include "ops/norm_rows.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

float Total(V32 v) { return hn::GetLane(hn::SumOfLanes(F32(), v)); }

void Forward(const NormRow<float>& r, size_t n) {
  const F32 d;
  const float* s = r.x;
  V32 total = hn::Zero(d);
  if (r.residual != nullptr) {
    ForEachVector(n, [&](size_t i, size_t l) {
      const V32 x = Load(r.x + i, l), kept = r.factors ? hn::Mul(x, Load(r.factors + i, l)) : x;
      const V32 v = hn::Add(kept, Load(r.residual + i, l));
      Store(v, r.sum + i, l);
      total = hn::Add(total, v);
    });
    s = r.sum;
  } else if (r.beta != nullptr) {
    ForEachVector(n, [&](size_t i, size_t l) { total = hn::Add(total, Load(s + i, l)); });
  }
  const float mean = r.beta != nullptr ? Total(total) / static_cast<float>(n) : 0.f;
  V32 squares = hn::Zero(d);
  ForEachVector(n, [&](size_t i, size_t l) {
    const V32 v = hn::IfThenElseZero(hn::FirstN(d, l), hn::Sub(Load(s + i, l), Constant(mean)));
    squares = AddProduct(v, v, squares);
  });
  const float rstd = 1.f / std::sqrt(Total(squares) / static_cast<float>(n) + r.eps);
  ForEachVector(n, [&](size_t i, size_t l) {
    const V32 normed = hn::Mul(hn::Sub(Load(s + i, l), Constant(mean)), Constant(rstd));
    const V32 gained = hn::Mul(normed, Load(r.gamma + i, l));
    Store(r.beta != nullptr ? hn::Add(gained, Load(r.beta + i, l)) : gained, r.y + i, l);
  });
  *r.mean = mean;
  *r.rstd = rstd;
}

void Backward(const NormGradientRow<float>& r, size_t n) {
  const F32 d;
  const V32 mean = Constant(r.mean), rstd = Constant(r.rstd);
  V32 total = hn::Zero(d), projection = hn::Zero(d);
  if (r.dy != nullptr)
    ForEachVector(n, [&](size_t i, size_t l) {
      const V32 normed = hn::Mul(hn::Sub(Load(r.sum + i, l), mean), rstd), dy = Load(r.dy + i, l);
      const V32 g = hn::Mul(dy, Load(r.gamma + i, l));  // zero beyond the last lane
      total = hn::Add(total, g);
      projection = AddProduct(g, normed, projection);
      Store(AddProduct(dy, normed, Load(r.dgamma + i, l)), r.dgamma + i, l);
      Store(hn::Add(dy, Load(r.dbeta + i, l)), r.dbeta + i, l);
    });
  const V32 m1 = Constant(r.centred ? Total(total) / static_cast<float>(n) : 0.f);
  const V32 m2 = Constant(Total(projection) / static_cast<float>(n));
  ForEachVector(n, [&](size_t i, size_t l) {
    V32 ds = hn::Zero(d);
    if (r.dy != nullptr) {
      const V32 normed = hn::Mul(hn::Sub(Load(r.sum + i, l), mean), rstd);
      const V32 g = hn::Mul(Load(r.dy + i, l), Load(r.gamma + i, l));
      ds = hn::Mul(rstd, hn::NegMulAdd(normed, m2, hn::Sub(g, m1)));
    }
    if (r.dsum != nullptr) ds = hn::Add(ds, Load(r.dsum + i, l));
    Store(ds, r.dresidual + i, l);
    if (r.factors != nullptr) Store(hn::Mul(ds, Load(r.factors + i, l)), r.dx + i, l);
  });
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

void norm_row(const NormRow<float>& row, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Forward)(row, static_cast<size_t>(n));
}

void norm_gradient_row(const NormGradientRow<float>& row, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Backward)(row, static_cast<size_t>(n));
}

}  // namespace attune
#endif  // HWY_ONCE
