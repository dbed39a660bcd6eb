// The CPU features that the operations use.
#pragma once

#include <span>
#include <string>

#include "tensor/precision.h"

namespace attune {

std::string kernel_target();  // the CPU generation whose kernels run here, for example "AVX2"
std::string bf16_engine();    // how bf16 numbers are multiplied here, for people

// What a configuration says of the precision of products; automatic: bf16 where this CPU multiplies it faster
// than f32.
enum class PrecisionChoice : uint8_t { f32, bf16, automatic };
std::span<const char* const> enum_names(PrecisionChoice);
Precision chosen(PrecisionChoice choice);

}  // namespace attune
