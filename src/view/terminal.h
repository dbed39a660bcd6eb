// Attention as a heat map on a terminal: one row per word that was written, one column per word that was
// read.
#pragma once

#include <string>

#include "view/matrix.h"

namespace attune::view {

enum class Colours { none, palette, full };  // shades of Unicode's blocks; 256 colours; 24 bits

// What a stream can show, judging by whether it is a terminal and by NO_COLOR, TERM and COLORTERM.
Colours terminal_colours(int descriptor);

// In columns; 0: it is no terminal.
size_t terminal_width(int descriptor);

// Lines that end in a newline. Labels of columns that are wider than a cell are written downwards. A map that
// is wider than `width` (0: any) goes on below.
std::string terminal_map(const AttentionMatrix& matrix, Colours colours, size_t width = 0);

// From 0 to 1, on one line without a newline.
std::string terminal_legend(Colours colours);

}  // namespace attune::view
