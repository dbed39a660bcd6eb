// Which attune this is.
#pragma once

#include <string>

namespace attune {

std::string version();  // "0.2.0"

}  // namespace attune
