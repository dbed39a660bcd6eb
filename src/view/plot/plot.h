// Plots as SVG: lines and bars, in colours that colour-blind readers can tell apart. Each line has a
// different marker, so that lines can be told apart in grey too. They follow the reader's choice of light or
// dark.
#pragma once

#include <string>
#include <vector>

#include "view/plot/axis.h"

namespace attune::view {

constexpr size_t kPlotColours = 10;                   // then they repeat
constexpr double kPlotWidth = 860, kHalfWidth = 560;  // pixels: alone, and next to another

struct Series {
  std::string name;
  std::vector<double> x, y;
  std::vector<Series> runs = {};  // of which it is the mean: thin lines behind it
};

struct LinePlot {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  std::vector<std::string> x_names = {};  // of x = 0, 1, ..: groups instead of numbers
  Scale y_scale = Scale::linear;
  double width = kPlotWidth;
};

struct Bar {
  std::string name;
  double value = 0, low = 0, high = 0;  // low = high: no whisker
  std::string label;                    // after the bar
};

struct BarPlot {
  std::string title, label;  // what the bars' lengths are, with its unit
  std::vector<Bar> bars;
  double width = kPlotWidth;
};

// Elements for a page whose style holds plot_style().
std::string svg(const LinePlot& plot);
std::string svg(const BarPlot& plot);

// CSS of all plots.
std::string plot_style();

// A plot as a separate file.
std::string standalone(const std::string& svg);

}  // namespace attune::view
