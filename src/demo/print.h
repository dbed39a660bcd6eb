// How the demos print.
#pragma once

#include <string>

#include "view/matrix.h"

namespace attune::demo {

void heading(const std::string& text);

// ✓ or ✗, in green or red if there are colours.
std::string mark(bool right);

// The map and its legend, indented.
void print_map(const view::AttentionMatrix& matrix);

// How to call this program from the current directory.
std::string program_name();

}  // namespace attune::demo
