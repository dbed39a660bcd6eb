#include "ops/product/engine.h"

#include <hwy/highway.h>

#include "ops/product/bf16/product.h"

namespace attune {

std::string kernel_target() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // the lowest bit is the best target
}

std::string bf16_engine() {
  switch (fastest_bf16_scheme()) {
    case Bf16Scheme::widen: return "widened to f32";
    case Bf16Scheme::dot: return "AVX-512 BF16";
    case Bf16Scheme::amx: return "AMX";
  }
  return "unknown";
}

std::span<const char* const> enum_names(PrecisionChoice) {
  static constexpr const char* kWords[] = {"f32", "bf16", "auto"};
  return kWords;
}

Precision chosen(PrecisionChoice choice) {
  if (choice == PrecisionChoice::automatic)
    return fastest_bf16_scheme() == Bf16Scheme::widen ? Precision::f32 : Precision::bf16;
  return choice == PrecisionChoice::bf16 ? Precision::bf16 : Precision::f32;
}

}  // namespace attune
