// Attention as a picture: SVG for a page or a paper.
#pragma once

#include <string>
#include <string_view>

#include "view/matrix.h"

namespace attune::view {

// Text as it stands in HTML, in XML, and in their attributes between double quotes.
std::string escape_markup(std::string_view text);

// An element that can be a file, or stand in an HTML page, whose colour of text it takes over. Each cell
// tells its weight in a <title>; weights below half a percent are not drawn.
std::string svg(const AttentionMatrix& matrix);

}  // namespace attune::view
