// y = f(x W^T + b) in parts, for the kernels of the operation `linear`.
#pragma once

#include "attune/ops/elementwise.h"
#include "ops/product/bf16/matrix.h"
#include "ops/product/product_form.h"

namespace attune {

// y [rows, out] and, if its gradient needs it, the activation's input `kept` [rows, out].
struct LinearResult {
  Tensor y, kept;
};

// f(y + b) in place, for a part of x W^T.
void finish_rows(const LinearResult& result, const Tensor& bias, Activation activation, int64_t begin,
                 int64_t end, ColumnRange columns);

void linear_by_form(const Tensor& x, const ProductForm& form, const Tensor& bias, Activation activation,
                    const LinearResult& result);
// The same with rows of x that are rounded() already.
void linear_of_rounded(const Tensor& x, const Bf16Matrix& form, const Tensor& bias, Activation activation,
                       const LinearResult& result);

}  // namespace attune
