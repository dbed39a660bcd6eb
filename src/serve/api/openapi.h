// The description of the interface in OpenAPI format, for /spec.
#pragma once

#include <string_view>

namespace attune::serve {

std::string_view openapi();

}  // namespace attune::serve
