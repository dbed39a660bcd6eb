// Files of tests/golden: values from independent implementations.
#pragma once

#include <filesystem>
#include <string_view>

namespace attune::testing {

std::filesystem::path golden(std::string_view name);

}  // namespace attune::testing
