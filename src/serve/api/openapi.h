// The interface in OpenAPI's form, for /spec.
#pragma once

#include <string_view>

namespace attune::serve {

std::string_view openapi();

}  // namespace attune::serve
