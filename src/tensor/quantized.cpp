#include "tensor/quantized.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "tensor/format.h"
#include "tensor/storage.h"

namespace attune {

Tensor quantized(const Tensor& matrix) {
  check(matrix.dtype() == DType::f32 && matrix.shape().rank() == 2,
        "quantized: a matrix of f32 numbers is needed, but {} {} was given", matrix.dtype(), matrix.shape());
  const Tensor numbers(matrix.shape(), DType::i8);
  std::vector<float> scales;
  for (int64_t r = 0; r < matrix.rows(); ++r) {
    float most = 0;
    for (const float x : matrix.row<float>(r)) {
      check(std::isfinite(x), "quantized: row {} has a number that is not finite", r);
      most = std::max(most, std::abs(x));
    }
    const float scale = most / kLargestInt8;
    std::ranges::transform(matrix.row<float>(r), numbers.row<int8_t>(r).begin(), [scale](float x) {
      const float q = scale == 0 ? 0 : std::nearbyint(x / scale);  // a scale may be too small to be exact
      return static_cast<int8_t>(std::clamp<float>(q, -kLargestInt8, kLargestInt8));
    });
    scales.push_back(scale);
  }
  numbers.storage()->scales = std::move(scales);
  return numbers;
}

Tensor quantized(const Tensor& numbers, const Tensor& scales) {
  check(numbers.dtype() == DType::i8 && numbers.shape().rank() == 2 && numbers.contiguous() &&
            scales.shape() == Shape{numbers.rows()},
        "quantized: {} {} with scales {} is not a quantised matrix", numbers.dtype(), numbers.shape(),
        scales.shape());
  const auto values = scales.span<float>();
  numbers.storage()->scales.assign(values.begin(), values.end());
  return numbers;
}

bool is_quantized(const Tensor& tensor) {
  return tensor.defined() && tensor.dtype() == DType::i8 && !tensor.storage()->scales.empty();
}

// All views of a quantised matrix keep its row stride.
std::span<const float> row_scales(const Tensor& tensor) {
  check(is_quantized(tensor), "row_scales: the tensor is not quantised");
  const auto* memory = reinterpret_cast<const int8_t*>(tensor.storage()->memory);
  const auto first = static_cast<size_t>((tensor.data<int8_t>() - memory) / tensor.row_stride());
  return std::span<const float>(tensor.storage()->scales).subspan(first, static_cast<size_t>(tensor.rows()));
}

Tensor dequantized(const Tensor& tensor) {
  const auto scales = row_scales(tensor);
  const Tensor result(tensor.shape());
  for (int64_t r = 0; r < tensor.rows(); ++r)
    std::ranges::transform(
        tensor.row<int8_t>(r), result.row<float>(r).begin(),
        [scale = scales[static_cast<size_t>(r)]](int8_t q) { return scale * static_cast<float>(q); });
  return result;
}

ParameterSource quantized(const Parameters& parameters) {
  return [entries = parameters.entries()](std::string_view name, const Shape& shape, DType) {
    const auto entry = std::ranges::find(entries, name, &Parameters::Entry::name);
    check(entry != entries.end(), "quantized: the parameter '{}' does not exist", name);
    return shape.rank() == 2 && shape.size() > 0 ? quantized(entry->tensor) : entry->tensor.clone();
  };
}

bool any_quantized(const Parameters& parameters) {
  return std::ranges::any_of(parameters.entries(),
                             [](const auto& entry) { return is_quantized(entry.tensor); });
}

}  // namespace attune
