#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/loss_row.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <limits>

#include "ops/loss/loss_row.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

// logits += bias (unless null); returns the largest.
float AddBias(float* HWY_RESTRICT logits, const float* HWY_RESTRICT bias, size_t n) {
  const F32 d;
  V32 most = Constant(-std::numeric_limits<float>::infinity());
  ForEachVector(n, [&](size_t i, size_t lanes) {
    V32 l = Load(logits + i, lanes);
    if (bias != nullptr) {
      l = hn::Add(l, Load(bias + i, lanes));
      Store(l, logits + i, lanes);
    }
    most = hn::Max(most, hn::IfThenElse(hn::FirstN(d, lanes), l, most));
  });
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

// z = sum_j exp(l_j - max), whose terms replace the logits, and the sum of max - l_j.
struct Sums {
  float z, distance;
};
Sums ExpInPlace(float* HWY_RESTRICT logits, float max, size_t n) {
  const F32 d;
  V32 z = hn::Zero(d), distance = hn::Zero(d);
  ForEachVector(n, [&](size_t i, size_t lanes) {
    const V32 shifted = hn::Sub(Load(logits + i, lanes), Constant(max));
    const V32 e = Exp(shifted);
    const auto inside = hn::FirstN(d, lanes);
    z = hn::Add(z, hn::IfThenElseZero(inside, e));
    distance = hn::Sub(distance, hn::IfThenElseZero(inside, shifted));
    Store(e, logits + i, lanes);
  });
  return {hn::GetLane(hn::SumOfLanes(d, z)), hn::GetLane(hn::SumOfLanes(d, distance))};
}

RowLoss LossRow(float* HWY_RESTRICT logits, const float* HWY_RESTRICT bias, int64_t n, int64_t target,
                double smoothing, bool gradient) {
  const auto size = static_cast<size_t>(n);
  const float max = AddBias(logits, bias, size);
  const float distance = max - logits[target];
  const bool target_is_first_largest =
      distance == 0 && std::find(logits, logits + target, max) == logits + target;
  const Sums sums = ExpInPlace(logits, max, size);
  if (gradient) {
    const V32 factor = Constant(1 / sums.z);
    const V32 floor = Constant(static_cast<float>(-smoothing / static_cast<double>(n)));
    ForEachVector(size, [&](size_t i, size_t lanes) {
      Store(AddProduct(Load(logits + i, lanes), factor, floor), logits + i, lanes);
    });
    logits[target] -= static_cast<float>(1 - smoothing);
  }
  return row_loss(distance, sums.z, sums.distance, n, smoothing, target_is_first_largest);
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attune {

HWY_EXPORT(LossRow);

RowLoss loss_row(float* logits, const float* bias, int64_t n, int64_t target, double smoothing,
                 bool gradient) {
  return HWY_DYNAMIC_DISPATCH(LossRow)(logits, bias, n, target, smoothing, gradient);
}

}  // namespace attune
#endif  // HWY_ONCE
