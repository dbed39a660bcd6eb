// What line and bar plots are made of.
#pragma once

#include <string>
#include <string_view>

namespace attune::view {

constexpr double kTitleHeight = 34, kLetter = 6.6;  // pixels; the width of a letter

enum class Anchor { start, middle, end };

std::string plot_begin(double width, double height, const std::string& title);
std::string plot_text(double x, double y, const std::string& text, Anchor anchor, std::string_view css = {});
std::string plot_line(double x1, double y1, double x2, double y2, std::string_view css);
// One of ten shapes around a point, in the colour of series `number`.
std::string plot_marker(size_t number, double x, double y);

// The approximate width of text.
double text_width(const std::string& text);
// Cut to a width, with … at its end.
std::string shortened(const std::string& text, double width);

}  // namespace attune::view
