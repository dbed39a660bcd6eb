// Cross entropy of one token: from its logits to its loss, and in place to the gradient of that loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace attune {

struct RowLoss {
  double nll = 0;        // -log p(target)
  double loss = 0;       // (1 - s) nll + s mean_j(-log p_j)
  bool correct = false;  // the target is the first of the largest logits
};

// distance = m - logits_target, z = Z and sum = sum_j (m - logits_j) in the terms below.
inline RowLoss row_loss(double distance, double z, double sum, int64_t n, double smoothing,
                        bool target_is_first_largest) {
  RowLoss row;
  row.nll = std::log(z) + distance;
  row.loss = row.nll;
  if (smoothing > 0)
    row.loss = (1 - smoothing) * row.nll + smoothing * (std::log(z) + sum / static_cast<double>(n));
  row.correct = target_is_first_largest && !std::isnan(row.nll);
  return row;
}

// logits += bias (unless null), then, with m = max_j logits_j and Z = sum_j exp(logits_j - m):
//   -log p_j = log Z + (m - logits_j),    d loss / d logits_j = exp(logits_j - m) / Z - q_j,
//   q_j = s / n, and 1 - s more for the target
// The gradient replaces the logits if it is needed; otherwise they are left undefined. A NaN, a +inf, or only
// -inf makes the loss NaN.
template <class T>
RowLoss loss_row_reference(T* logits, const T* bias, int64_t n, int64_t target, double smoothing,
                           bool gradient) {
  if (bias != nullptr) std::transform(logits, logits + n, bias, logits, [](T l, T b) { return l + b; });
  const T* largest = std::max_element(logits, logits + n);
  const bool target_is_first_largest = largest == logits + target;
  const T max = *largest, distance = max - logits[target];
  T z = 0, sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    sum += max - logits[j];
    logits[j] = std::exp(logits[j] - max);
    z += logits[j];
  }
  if (gradient) {
    for (int64_t j = 0; j < n; ++j)
      logits[j] = logits[j] / z - static_cast<T>(smoothing / static_cast<double>(n));
    logits[target] -= static_cast<T>(1 - smoothing);
  }
  return row_loss(distance, z, sum, n, smoothing, target_is_first_largest);
}

// The same in f32, vectorised.
RowLoss loss_row(float* logits, const float* bias, int64_t n, int64_t target, double smoothing,
                 bool gradient);

}  // namespace attune
