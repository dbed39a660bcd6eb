// The CPU features that the operations use.
#pragma once

#include <string>

namespace attune {

std::string kernel_target();  // the CPU generation whose kernels run here, for example "AVX2"
std::string onednn_version();

}  // namespace attune
