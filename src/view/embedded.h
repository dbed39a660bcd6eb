// What was built from web/.
#pragma once

#include <string_view>

namespace attune::view {

// An HTML file without data; empty if attune was built without it.
std::string_view embedded_page();

}  // namespace attune::view
