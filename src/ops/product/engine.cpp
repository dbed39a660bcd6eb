#include "ops/product/engine.h"

#include <dnnl.h>
#include <fmt/core.h>
#include <hwy/highway.h>

namespace attune {

std::string kernel_target() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // the lowest bit is the best target
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

}  // namespace attune
