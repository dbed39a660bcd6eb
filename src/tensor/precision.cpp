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

Precision precision_of(const Tensor& tensor) {
  if (!tensor.defined()) return Precision::f32;
  return tensor.dtype() == DType::bf16 ? Precision::bf16 : tensor.storage()->products;
}

void set_precision(const Tensor& tensor, Precision precision) { tensor.storage()->products = precision; }

void set_precision(const Parameters& parameters, Precision precision) {
  for (const auto& entry : parameters.entries())
    if (entry.tensor.shape().rank() == 2 && entry.tensor.dtype() == DType::f32)
      set_precision(entry.tensor, precision);
}

}  // namespace attune
