// Finds where two texts stop being parallel, by the lengths of their lines.
//
// Let r_k(i) = log((a_i + 1) / (b_{i+k} + 1)). Where line i belongs to line i + k, r_k varies little, with
// the variance s^2 around m; elsewhere it varies as the lengths do, with S^2 > s^2. If both are normal, the
// log likelihood ratio of "i belongs to i + k" against "i belongs to i" is
//
//   d_k(i) = (1 / s^2 - 1 / S^2) / 2 * ((r_0(i) - m)^2 - (r_k(i) - m)^2).
//
// Page's CUSUM test (1954) sums it up: C_k(i) = max(0, C_k(i-1) + d_k(i)): C_k stays near 0 while the texts
// are parallel and grows steadily from the line where the shift by k begins. The probability of a false alarm
// is about lines * exp(-threshold).
#include <algorithm>
#include <array>
#include <cmath>

#include "text/corpus/checks.h"

namespace attune {
namespace {

constexpr int kFarthest = 3;
constexpr size_t kBlock = 64;  // lines per estimate of the variance
constexpr double kThreshold = 20;

class Ratios {
 public:
  Ratios(std::span<const int32_t> a, std::span<const int32_t> b) : a_(a), b_(b) {}

  size_t lines() const { return std::min(a_.size(), b_.size()); }
  bool has(size_t i, int shift) const {
    const auto j = static_cast<int64_t>(i) + shift;
    return j >= 0 && j < static_cast<int64_t>(b_.size());
  }
  double at(size_t i, int shift) const {
    const auto j = static_cast<size_t>(static_cast<int64_t>(i) + shift);
    return std::log((a_[i] + 1.0) / (b_[j] + 1.0));
  }

 private:
  std::span<const int32_t> a_, b_;
};

struct Moments {
  double mean = 0, variance = 0;
};

Moments block_moments(const Ratios& ratios, size_t begin, int shift) {
  double sum = 0, squares = 0, n = 0;
  for (size_t i = begin; i < begin + kBlock; ++i) {
    if (!ratios.has(i, shift)) continue;
    const double r = ratios.at(i, shift);
    sum += r;
    squares += r * r;
    ++n;
  }
  return {sum / n, squares / n - sum / n * (sum / n)};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

struct Model {
  double mean, aligned, unaligned;  // m, s^2, S^2
};

// In each block the best-fitting shift is taken for the true one, so that shifts in the text do no harm;
// medians exclude blocks of odd lines.
Model fit(const Ratios& ratios) {
  std::vector<double> means, aligned, unaligned;
  for (size_t begin = 0; begin + kBlock <= ratios.lines(); begin += kBlock) {
    std::vector<Moments> shifts;
    for (int k = -kFarthest; k <= kFarthest; ++k) shifts.push_back(block_moments(ratios, begin, k));
    std::ranges::sort(shifts, {}, &Moments::variance);
    means.push_back(shifts[0].mean);
    aligned.push_back(shifts[0].variance);
    unaligned.push_back(shifts[kFarthest].variance);
  }
  return {median(means), std::max(median(aligned), 1e-3), median(unaligned)};
}

}  // namespace

std::optional<Shift> find_shift(std::span<const int32_t> first, std::span<const int32_t> second) {
  const Ratios ratios(first, second);
  if (ratios.lines() < kBlock) return std::nullopt;
  const Model model = fit(ratios);
  if (model.unaligned < 1.5 * model.aligned)
    return std::nullopt;  // the best of seven can be that good by chance

  const double factor = (1 / model.aligned - 1 / model.unaligned) / 2;
  const auto misfit = [&](size_t i, int shift) {
    const double distance = ratios.at(i, shift) - model.mean;
    return std::min(distance * distance, 9 * model.aligned);  // no single line decides
  };
  const double threshold = kThreshold + std::log(static_cast<double>(ratios.lines()));
  std::array<double, 2 * kFarthest + 1> sums{};
  std::array<size_t, 2 * kFarthest + 1> begins{};
  for (size_t i = 0; i < ratios.lines(); ++i)
    for (size_t s = 0; s < sums.size(); ++s) {
      const int k = static_cast<int>(s) - kFarthest;
      if (k == 0 || !ratios.has(i, k)) continue;
      sums[s] += factor * (misfit(i, 0) - misfit(i, k));
      if (sums[s] <= 0) {
        sums[s] = 0;
        begins[s] = i + 1;
      }
      if (sums[s] > threshold) return Shift{static_cast<int64_t>(begins[s]), k};
    }
  return std::nullopt;
}

}  // namespace attune
