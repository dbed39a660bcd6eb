// How the demos speak.
#pragma once

#include <string>

#include "view/matrix.h"

namespace attune::demo {

void heading(const std::string& text);

// ✓ or ✗, green or red where there are colours.
std::string mark(bool right);

// The map and its legend, away from the edge.
void print_map(const view::AttentionMatrix& matrix);

// How a reader calls this program from where he is.
std::string program_name();

}  // namespace attune::demo
