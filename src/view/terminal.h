// Attention as a heat map on a terminal: one row per word that was written, one column per word that was
// read.
#pragma once

#include <string>

#include "view/matrix.h"

namespace attune::view {

enum class Colours { none, palette, full };  // shades of Unicode's blocks; 256 colours; 24 bits

// What a stream can show, judging by whether it is a terminal and by NO_COLOR, TERM and COLORTERM.
Colours terminal_colours(int descriptor);

// Lines that end in a newline. Labels of columns that are wider than a cell are written downwards.
std::string terminal_map(const AttentionMatrix& matrix, Colours colours);

// From 0 to 1, on one line without a newline.
std::string terminal_legend(Colours colours);

}  // namespace attune::view
