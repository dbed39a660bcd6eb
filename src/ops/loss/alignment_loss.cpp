#include "ops/loss/alignment_loss.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/shapes.h"
#include "ops/softmax.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

constexpr int64_t kRows = 64;  // the fewest for one thread

// The loss of a query; `slope` becomes its derivatives, with a = softmax(e):
//   ce    a_j - l_j / n
//   mult  a_j - l_j exp(e_j) / sum_k l_k exp(e_k)
//   mse   a_j (d_j - sum_k a_k d_k),  d_j = 2 (a_j - l_j / n)
template <class T>
T query_loss(std::span<const T> e, std::span<const T> l, AlignmentCost cost, std::span<T> slope) {
  std::vector<T> linked;
  for (size_t j = 0; j < e.size(); ++j)
    if (l[j] != 0) linked.push_back(e[j]);
  if (linked.empty()) {
    std::ranges::fill(slope, T{0});
    return 0;
  }
  const T all = logarithm_of_sum(e.data(), e.size()), share = 1 / static_cast<T>(linked.size());
  softmax_row_reference(e.data(), slope.data(), e.size());
  T loss = 0;
  switch (cost) {
    case AlignmentCost::ce:
      for (const T x : linked) loss += share * (all - x);
      for (size_t j = 0; j < e.size(); ++j) slope[j] -= share * l[j];
      break;
    case AlignmentCost::mult: {
      const T mass = logarithm_of_sum(linked.data(), linked.size());
      loss = all - mass;
      for (size_t j = 0; j < e.size(); ++j)
        if (l[j] != 0) slope[j] -= std::exp(e[j] - mass);
      break;
    }
    case AlignmentCost::mse: {
      const std::vector<T> a(slope.begin(), slope.end());
      for (size_t j = 0; j < e.size(); ++j) {
        const T distance = a[j] - share * l[j];
        loss += distance * distance;
        slope[j] = 2 * distance;
      }
      softmax_gradient_row(a.data(), slope.data(), slope.data(), a.size());
    }
  }
  return loss;
}

}  // namespace

Tensor alignment_loss(const Tensor& energy, const Tensor& links, const Rows& rows, AlignmentCost cost) {
  constexpr std::string_view op = "alignment_loss";
  check_float(op, {&energy, &links});
  check_shape(op, "energy", energy, {rows.total()});
  check_shape(op, "links", links, {rows.total()});
  const Tensor slope({rows.total()}, energy.dtype());
  Tensor loss({}, energy.dtype());
  dispatch(energy.dtype(), [&]<class T>() {
    std::vector<T> losses(static_cast<size_t>(rows.count()));
    parallel_for(rows.count(), kRows, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const auto of = [&](const Tensor& t) {
          return t.span<T>().subspan(static_cast<size_t>(rows.begin(r)), static_cast<size_t>(rows.length(r)));
        };
        losses[static_cast<size_t>(r)] = query_loss<T>(of(energy), of(links), cost, of(slope));
      }
    });
    double total = 0;  // in a fixed order, whatever the number of threads
    for (const T x : losses) total += x;
    *loss.data<T>() = static_cast<T>(total);
  });
  if (recording(energy))
    record("alignment_loss", loss, {energy},
           [slope](const Tensor& dy) { return Grads{scale(slope, dy.item())}; });
  return loss;
}

}  // namespace attune
