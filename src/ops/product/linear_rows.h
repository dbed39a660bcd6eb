// LinearRows: y = x W'^T + b' with some rows W' of a weight W [n, k] and their part b' of a bias, packed once
// for many calls. The numbers of y have the same bits as in linear() with a constant W.
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
  std::shared_ptr<const ProductForm> form_;  // null for f64 and for the reference
};

}  // namespace attune
