#include <fmt/core.h>

#include <algorithm>

#include "view/plot/plot.h"
#include "view/plot/plot_parts.h"

namespace attune::view {
namespace {

constexpr double kRow = 26, kThick = 16, kBottom = 44, kWidestName = 230;

}  // namespace

// One row per bar: its name, the bar from the left, its label. The axis includes 0.
std::string svg(const BarPlot& plot) {
  double names = 0, labels = 0, high = 0;
  for (const Bar& bar : plot.bars) {
    names = std::max(names, text_width(bar.name));
    labels = std::max(labels, text_width(bar.label));
    high = std::max({high, bar.value, bar.high});
  }
  Axis axis = make_axis(0, high, 6);
  const double left = std::min(names, kWidestName) + 14, right = plot.width - labels - 14;
  const double top = kTitleHeight, bottom = top + kRow * static_cast<double>(plot.bars.size());
  axis.high = std::max(high, axis.ticks[axis.ticks.size() - 2]);
  const auto x = [&](double value) { return left + axis.place(value) * (right - left); };
  std::string all = plot_begin(plot.width, bottom + kBottom, plot.title);
  for (const double tick : axis.ticks) {
    if (tick > axis.high * (1 + 1e-9)) continue;
    all += plot_line(x(tick), top, x(tick), bottom, "grid");
    all += plot_text(x(tick), bottom + 16, tick_label(tick), Anchor::middle);
  }
  for (size_t i = 0; i < plot.bars.size(); ++i) {
    const Bar& bar = plot.bars[i];
    const double middle = top + kRow * (static_cast<double>(i) + 0.5);
    all += plot_text(left - 8, middle + 4, shortened(bar.name, kWidestName), Anchor::end, "name");
    all += fmt::format(
        "<rect class=\"bar s{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"/>\n",
        i % kPlotColours, left, middle - kThick / 2, std::max(x(bar.value) - left, 0.5), kThick);
    if (bar.high > bar.low) {
      for (const char* css : {"halo", "whisker"})
        all += plot_line(x(bar.low), middle, x(bar.high), middle, css);
      for (const double end : {bar.low, bar.high})
        all += plot_line(x(end), middle - 4, x(end), middle + 4, "whisker");
    }
    all += plot_text(x(std::max(bar.value, bar.high)) + 8, middle + 4, bar.label, Anchor::start, "name");
  }
  all += plot_line(left, top, left, bottom, "axis");
  return all + plot_text((left + right) / 2, bottom + kBottom - 8, plot.label, Anchor::middle) + "</svg>\n";
}

}  // namespace attune::view
