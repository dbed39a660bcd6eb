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

bool is_narrow(const Tensor& tensor) {
  return is_quantized(tensor) || (tensor.defined() && tensor.dtype() == DType::bf16);
}

Tensor widened(const Tensor& tensor) {
  return is_quantized(tensor) ? dequantized(tensor) : tensor.to(DType::f32);
}

namespace {

template <class Narrow>
ParameterSource with_matrices(const Parameters& parameters, const Narrow& narrow) {
  return [entries = parameters.entries(), narrow](std::string_view name, const Shape& shape, DType) {
    const auto entry = std::ranges::find(entries, name, &Parameters::Entry::name);
    check(entry != entries.end(), "the parameter '{}' does not exist", name);
    return shape.rank() == 2 && shape.size() > 0 ? narrow(entry->tensor) : entry->tensor.clone();
  };
}

}  // namespace

ParameterSource quantized(const Parameters& parameters) {
  return with_matrices(parameters, [](const Tensor& matrix) { return quantized(matrix); });
}

ParameterSource rounded(const Parameters& parameters) {
  return with_matrices(parameters, [](const Tensor& matrix) { return matrix.to(DType::bf16); });
}

bool any_narrow(const Parameters& parameters) {
  return std::ranges::any_of(parameters.entries(), [](const auto& entry) { return is_narrow(entry.tensor); });
}

}  // namespace attune
