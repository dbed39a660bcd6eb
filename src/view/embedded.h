// What was built from web/ and wasm/.
#pragma once

#include <string_view>

namespace attune::view {

// An HTML file without data; empty if attune was built without it.
std::string_view embedded_page();

// What a page without a server needs; empty if attune was built without it.
struct Engine {
  std::string_view page;           // an HTML file without data
  std::string_view program, wasm;  // JavaScript that loads it, and itself
};
Engine embedded_engine();

}  // namespace attune::view
