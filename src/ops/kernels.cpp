#include "ops/kernels.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "base/check.h"

namespace attune {
namespace {

bool from_environment() {
  const char* value = std::getenv("ATTUNE_KERNELS");
  if (value == nullptr || *value == '\0') return false;
  check(std::string_view(value) == "ref", "ATTUNE_KERNELS={}: the only valid value is 'ref'", value);
  return true;
}

std::atomic<int> forced = 0;  // for all threads: kernels fork

}  // namespace

bool reference_kernels() {
  static const bool environment = from_environment();
  return environment || forced > 0;
}

ReferenceKernels::ReferenceKernels() { ++forced; }

ReferenceKernels::~ReferenceKernels() { --forced; }

}  // namespace attune
