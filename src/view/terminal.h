// Attention as a heat map on a terminal: a row for each word that was written, a column for each that was
// read.
#pragma once

#include <string>

#include "view/matrix.h"

namespace attune::view {

enum class Colours { none, palette, full };  // shades of Unicode's blocks; 256 colours; 24 bits

// What a stream can show, by its being a terminal and by NO_COLOR, TERM and COLORTERM.
Colours terminal_colours(int descriptor);

// Lines that end in a newline. Labels of columns that are wider than a cell are written downwards.
std::string terminal_map(const AttentionMatrix& matrix, Colours colours);

// From 0 to 1, in one line without its end.
std::string terminal_legend(Colours colours);

}  // namespace attune::view
