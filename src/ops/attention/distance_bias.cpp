#include "ops/attention/distance_bias.h"

#include <algorithm>

#include "tensor/dispatch.h"

namespace attune {
namespace {

constexpr int64_t kBeyond = 64;  // numbers that kernels may read after the last distance

}  // namespace

DistanceBias::DistanceBias(const Tensor& table, const Rows& queries, const Rows& keys)
    : reach_(std::max(queries.max_length(), keys.max_length())), radius_(table.rows() / 2) {
  all_ = Tensor({table.columns(), 2 * reach_ + 1 + kBeyond}, table.dtype());
  dispatch(table.dtype(), [&]<class T>() {
    for (int64_t h = 0; h < all_.rows(); ++h) {
      T* to = all_.row<T>(h).data();
      for (int64_t c = 0; c < width(); ++c) to[c] = table.row<T>(row(c))[static_cast<size_t>(h)];
    }
  });
}

int64_t DistanceBias::row(int64_t column) const {
  return std::clamp(column - reach_, -radius_, radius_) + radius_;
}

Tensor DistanceBias::gradient(const Tensor& rows) const {
  const int64_t heads = all_.rows();
  const Tensor sum = Tensor::zeros({2 * radius_ + 1, heads}, rows.dtype());
  dispatch(rows.dtype(), [&]<class T>() {
    for (int64_t r = 0; r < rows.rows(); ++r) {
      const T* from = rows.row<T>(r).data();
      for (int64_t c = 0; c < width(); ++c) sum.row<T>(row(c))[static_cast<size_t>(r % heads)] += from[c];
    }
  });
  return sum;
}

}  // namespace attune
