#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "nn/attention/score.h"

namespace attune {
namespace {

// Wu et al. 2021, 3.2:  r(d) = 1/n sum_t q_t . k_{t-d}  tells how alike a series of n steps is to itself d
// steps ago (it goes on at its end with its beginning). A query sees the keys of the c log(n) delays that are
// most alike, with e_ij = r(i - j): all steps with the same weights.
struct AutoCorrelation final : Score {
  static constexpr ScoreTraits kTraits{.one_size = true, .whole_series = true};
  static constexpr double kDelays = 3;  // c

  AutoCorrelation(const Scope&, const ScoreSizes&) {}

  Tensor energy(const Tensor& q, const Tensor& k, const Attending& who) const override {
    const Tensor products =
        dot_energy(q, k, who.queries, who.keys, 1 / std::sqrt(static_cast<double>(q.columns())));
    std::vector<Tensor> all;
    int64_t first = 0;
    for (int64_t s = 0; s < who.queries.count(); ++s) {
      const int64_t n = who.queries.length(s);
      check(n == who.keys.length(s),
            "autocorrelation: a series of {} steps cannot be compared with one of {}", n, who.keys.length(s));
      if (n == 0) continue;
      const Tensor own =
          reshape(slice_rows(reshape(products, {products.size(), 1}), first, first + n * n), {n * n, 1});
      all.push_back(of_series(own, n));
      first += n * n;
    }
    return all.empty() ? products : reshape(concat_rows(all), products.shape());
  }

 private:
  // [n n, 1]: the products of all pairs -> their energies.
  static Tensor of_series(const Tensor& products, int64_t n) {
    const auto delay = [n](int64_t i, int64_t j) { return (i - j + n) % n; };
    std::vector<int32_t> by_delay, of_pairs;
    for (int64_t d = 0; d < n; ++d)
      for (int64_t i = 0; i < n; ++i) by_delay.push_back(static_cast<int32_t>(i * n + delay(i, d)));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) of_pairs.push_back(static_cast<int32_t>(delay(i, j)));
    const Tensor sums = reshape(embedding(products, Tensor::of<int32_t>({n * n}, by_delay)), {n, n});
    const Tensor r = linear(sums, Tensor::full({1, n}, 1 / static_cast<double>(n), products.dtype()));
    return embedding(add(r, unseen(r)), Tensor::of<int32_t>({n * n}, of_pairs));
  }

  // 0 for the delays that are most alike, -inf for the others: [n, 1].
  static Tensor unseen(const Tensor& r) {
    const int64_t n = r.rows();
    const Tensor numbers = r.detach().to(DType::f64);
    const auto alike = numbers.span<double>();
    std::vector<size_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return alike[a] > alike[b]; });
    const auto seen =
        static_cast<size_t>(std::clamp<double>(std::ceil(kDelays * std::log(n)), 1, static_cast<double>(n)));
    std::vector<double> mask(static_cast<size_t>(n), -std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < seen; ++i) mask[order[i]] = 0;
    return Tensor::of<double>({n, 1}, mask).to(r.dtype());
  }
};

const RegisterScore<AutoCorrelation> registered("autocorrelation");

}  // namespace
}  // namespace attune
