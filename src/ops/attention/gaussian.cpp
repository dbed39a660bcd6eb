#include <cmath>

#include "attune/autograd.h"
#include "attune/ops/attention.h"
#include "ops/attention/ragged.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

template <class T, class Body>
void for_all_pairs(const Pairs& pairs, const Tensor& centre, double sigma, const Body& body) {
  pairs.for_sentences([&](const SentencePairs& s) {
    for (int64_t i = 0; i < s.queries; ++i)
      for (int64_t j = 0; j < s.keys; ++j) {
        const T distance = static_cast<T>(j) - centre.data<T>()[s.query + i];
        const T factor = std::exp(-distance * distance / static_cast<T>(2 * sigma * sigma));
        body(s.pair + i * s.keys + j, s.query + i, distance, factor);
      }
  });
}

}  // namespace

// y_ij = w_ij g_ij with g_ij = exp(-(j - p_i)^2 / (2 sigma^2)), so
//   dw_ij = dy_ij g_ij,  dp_i = sum_j dy_ij w_ij g_ij (j - p_i) / sigma^2
Tensor gaussian_weights(const Tensor& weights, const Tensor& centre, const Rows& queries, const Rows& keys,
                        double sigma) {
  constexpr std::string_view op = "gaussian_weights";
  const Pairs pairs(op, queries, keys);
  check_float(op, {&weights, &centre});
  check_shape(op, "weights", weights, {pairs.total()});
  check_shape(op, "centre", centre, {queries.total()});
  check(sigma > 0, "{}: sigma must be positive, but is {}", op, sigma);
  Tensor y(weights.shape(), weights.dtype());
  dispatch(y.dtype(), [&]<class T>() {
    for_all_pairs<T>(pairs, centre, sigma, [&](int64_t pair, int64_t, T, T factor) {
      y.data<T>()[pair] = weights.data<T>()[pair] * factor;
    });
  });
  if (recording(weights, centre))
    record("gaussian_weights", y, {weights, centre},
           [weights = weights.detach(), centre = centre.detach(), pairs, sigma](const Tensor& dy) {
             const Tensor dweights(weights.shape(), weights.dtype());
             const Tensor dcentre = Tensor::zeros(centre.shape(), centre.dtype());
             dispatch(dy.dtype(), [&]<class T>() {
               for_all_pairs<T>(pairs, centre, sigma, [&](int64_t pair, int64_t query, T distance, T factor) {
                 dweights.data<T>()[pair] = dy.data<T>()[pair] * factor;
                 dcentre.data<T>()[query] += dy.data<T>()[pair] * weights.data<T>()[pair] * factor *
                                             distance / static_cast<T>(sigma * sigma);
               });
             });
             return Grads{dweights, dcentre};
           });
  return y;
}

}  // namespace attune
