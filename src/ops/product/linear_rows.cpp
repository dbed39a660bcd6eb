#include "ops/product/linear_rows.h"

#include <algorithm>
#include <vector>

#include "attune/ops.h"
#include "ops/kernels.h"
#include "ops/product/linear_form.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

Tensor rows_of(const Tensor& matrix, std::span<const int32_t> rows) {
  const Tensor some({static_cast<int64_t>(rows.size()), matrix.columns()}, matrix.dtype());
  dispatch_any(matrix.dtype(), [&]<class T>() {
    for (size_t i = 0; i < rows.size(); ++i)
      std::ranges::copy(matrix.row<T>(rows[i]), row_of<T>(some, static_cast<int64_t>(i)));
  });
  if (!is_quantized(matrix)) return some;
  std::vector<float> scales;
  for (const int32_t r : rows) scales.push_back(row_scales(matrix)[static_cast<size_t>(r)]);
  return quantized(some, Tensor::of<float>({some.rows()}, scales));
}

bool is_not_f64(const Tensor& weight) { return weight.dtype() != DType::f64; }
std::shared_ptr<const ProductForm> no_form(const Tensor&) { return nullptr; }

constexpr Kernels<std::shared_ptr<const ProductForm>(const Tensor&)> forms{{form_of, is_not_f64}, no_form};

}  // namespace

LinearRows::LinearRows(const Tensor& weight, const Tensor& bias, std::span<const int32_t> rows)
    : weight_(rows_of(weight, rows)),
      bias_(bias ? rows_of(bias.view({bias.size(), 1}), rows).view({static_cast<int64_t>(rows.size())})
                 : bias),
      form_(forms(weight_)) {}

Tensor LinearRows::operator()(const Tensor& x) const {
  if (!form_) return linear(x, weight_, bias_);
  const Tensor y({x.rows(), form_->n()});
  linear_by_form(x, *form_, bias_, Activation::none, {y, {}});
  return y;
}

}  // namespace attune
