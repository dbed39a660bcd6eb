// The precision of a weight in products. The operations are the same for all: f32 and f64 numbers are
// multiplied as they are; f32 numbers whose precision is bf16, and bf16 numbers, are multiplied as bf16
// numbers, with the other operand rounded too and the sum in f32; quantised ones as in tensor/quantized.h.
// Nothing but the operands of products is rounded. What a product with such a weight has given is an operand
// with the same precision where it is multiplied next: queries, keys and values.
#pragma once

#include <cstdint>
#include <string_view>

namespace attune {

class Parameters;
class Tensor;

enum class Precision : uint8_t { f32, bf16 };
std::string_view name(Precision precision);

// bf16 if products with this tensor round their operands.
Precision precision_of(const Tensor& tensor);
void set_precision(const Tensor& tensor, Precision precision);

// For all matrices among the parameters, from now on. Forms that were kept for them before stay as they are.
void set_precision(const Parameters& parameters, Precision precision);

}  // namespace attune
