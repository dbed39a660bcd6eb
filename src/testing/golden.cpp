#include "testing/golden.h"

namespace attune::testing {

std::filesystem::path golden(std::string_view name) { return std::filesystem::path(ATTUNE_GOLDEN) / name; }

}  // namespace attune::testing
