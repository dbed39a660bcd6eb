#include "ops/kernels.h"

#include <cstdlib>

namespace attune {
namespace {

bool from_environment() {
  const char* value = std::getenv("ATTUNE_KERNELS");
  if (value == nullptr || *value == '\0') return false;
  check(std::string_view(value) == "ref", "ATTUNE_KERNELS={}: the only value it takes is 'ref'", value);
  return true;
}

thread_local bool forced = false;

}  // namespace

bool reference_kernels() {
  static const bool environment = from_environment();
  return environment || forced;
}

ReferenceKernels::ReferenceKernels() : before_(forced) { forced = true; }

ReferenceKernels::~ReferenceKernels() { forced = before_; }

}  // namespace attune
