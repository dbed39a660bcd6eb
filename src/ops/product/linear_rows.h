// LinearRows: y = x W'^T + b' with some rows W' of a weight W [n, k] and their numbers b' of a bias, laid out
// once for many calls. A number of y has the bits that linear() gives it with a W that is constant.
#pragma once

#include <memory>
#include <span>

#include "ops/product/product_form.h"

namespace attune {

class LinearRows {
 public:
  // The weight may be quantised; the bias may be undefined.
  LinearRows(const Tensor& weight, const Tensor& bias, std::span<const int32_t> rows);

  Tensor operator()(const Tensor& x) const;  // [m, k] -> [m, rows]; no gradients

 private:
  Tensor weight_, bias_;
  std::shared_ptr<const ProductForm> form_;  // none for f64 and for the reference
};

}  // namespace attune
