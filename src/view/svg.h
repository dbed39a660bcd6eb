// Attention as a picture: SVG for a page or a paper.
#pragma once

#include <string>
#include <string_view>

#include "view/matrix.h"

namespace attune::view {

// Escapes text for HTML, XML, and attributes in double quotes.
std::string escape_markup(std::string_view text);

// An element that can be a file or part of an HTML page, whose text colour it inherits. Each cell has the
// colour of its weight (view/palette.h) and shows it in a <title>.
std::string svg(const AttentionMatrix& matrix);

}  // namespace attune::view
