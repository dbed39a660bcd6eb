#include "tensor/precision.h"

#include "attune/parameters.h"
#include "base/check.h"
#include "tensor/storage.h"

namespace attune {

std::string_view name(Precision precision) {
  switch (precision) {
    case Precision::f32: return "f32";
    case Precision::bf16: return "bf16";
  }
  fail("Precision: unknown value {}", static_cast<int>(precision));
}

Precision precision_of(const Tensor& weight) {
  if (!weight.defined()) return Precision::f32;
  return weight.dtype() == DType::bf16 ? Precision::bf16 : weight.storage()->products;
}

void set_precision(const Parameters& parameters, Precision precision) {
  for (const auto& entry : parameters.entries())
    if (entry.tensor.shape().rank() == 2 && entry.tensor.dtype() == DType::f32)
      entry.tensor.storage()->products = precision;
}

}  // namespace attune
