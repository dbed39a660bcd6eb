#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "attune/error.h"
#include "view/plot/plot.h"
#include "view/plot/plot_parts.h"

namespace attune::view {
namespace {

constexpr double kHeight = 400, kLeft = 58, kBottom = 46, kBetweenNames = 18, kLead = 26, kWidestName = 190,
                 kLongestLead = 60;
constexpr size_t kMarkers = 8;  // about the most on a line

class Drawing {
 public:
  explicit Drawing(const LinePlot& plot) : plot_(plot) {
    double names = 0;
    for (const Series& series : plot.series) names = std::max(names, text_width(series.name));
    right_ = plot.width - std::min(names, kWidestName) - kLead - 14;
    find_axes();
  }

  std::string text() {
    std::string all = plot_begin(plot_.width, kHeight, plot_.title) + frame();
    for (size_t s = 0; s < plot_.series.size(); ++s)
      for (const Series& run : plot_.series[s].runs) all += curve(s, run, "curve thin");
    for (size_t s = 0; s < plot_.series.size(); ++s) all += line(s);
    return all + names() + "</svg>\n";
  }

 private:
  void find_axes() {
    double left = std::numeric_limits<double>::max(), right = -left, low = left, high = -left;
    const auto take = [&](const Series& series) {
      if (series.x.size() != series.y.size())
        throw Error(
            fmt::format("plot: '{}' has {} x and {} y", series.name, series.x.size(), series.y.size()));
      for (size_t i = 0; i < series.x.size(); ++i) {
        left = std::min(left, series.x[i]);
        right = std::max(right, series.x[i]);
        low = std::min(low, series.y[i]);
        high = std::max(high, series.y[i]);
      }
    };
    for (const Series& series : plot_.series) {
      take(series);
      for (const Series& run : series.runs) take(run);
    }
    if (left > right) left = right = low = high = 1;
    y_ = make_axis(low, high, 6, plot_.y_scale);
    if (plot_.x_names.empty()) {
      x_ = make_axis(left, right, 7);
      x_.high = std::max(right, x_.ticks[x_.ticks.size() - 2]);  // no empty space at the end
    } else {
      x_ = {-0.35, static_cast<double>(plot_.x_names.size()) - 0.65, Scale::linear, {}};
    }
  }

  double x(double value) const { return kLeft + x_.place(value) * (right_ - kLeft); }
  double y(double value) const {
    return kHeight - kBottom - y_.place(value) * (kHeight - kBottom - kTitleHeight - 20);
  }

  std::string frame() const {
    std::string all = plot_text(0, kTitleHeight + 4, plot_.y_label, Anchor::start);
    for (const double tick : y_.ticks) {
      all += plot_line(kLeft, y(tick), right_, y(tick), "grid");
      all += plot_text(kLeft - 8, y(tick) + 4, tick_label(tick), Anchor::end);
    }
    const double bottom = kHeight - kBottom;
    all += plot_line(kLeft, bottom, right_, bottom, "axis");
    for (size_t i = 0; i < plot_.x_names.size(); ++i)
      all += plot_text(x(static_cast<double>(i)), bottom + 18, plot_.x_names[i], Anchor::middle);
    for (const double tick : x_.ticks) {
      if (tick > x_.high * (1 + 1e-9)) continue;
      all += plot_line(x(tick), bottom, x(tick), bottom + 4, "axis");
      all += plot_text(x(tick), bottom + 18, tick_label(tick), Anchor::middle);
    }
    return all + plot_text((kLeft + right_) / 2, kHeight - 8, plot_.x_label, Anchor::middle);
  }

  std::string curve(size_t number, const Series& series, const std::string& style) const {
    std::string points;
    for (size_t i = 0; i < series.x.size(); ++i)
      points += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", x(series.x[i]), y(series.y[i]));
    return fmt::format("<g class=\"s{}\"><polyline class=\"{}\" points=\"{}\"/></g>\n", number % kPlotColours,
                       style, points);
  }

  std::string line(size_t number) const {
    const Series& series = plot_.series[number];
    std::string markers;
    const size_t every = std::max<size_t>(1, (series.x.size() + kMarkers / 2) / kMarkers);
    for (size_t i = 0; i < series.x.size(); ++i)
      if ((series.x.size() - 1 - i) % every == 0)
        markers += plot_marker(number, x(series.x[i]), y(series.y[i]));
    return curve(number, series, fmt::format("curve d{}", number % 3)) + markers;
  }

  // Names are at the height of their lines' ends, moved apart where they would overlap.
  std::string names() const {
    std::vector<size_t> order;
    for (size_t s = 0; s < plot_.series.size(); ++s)
      if (!plot_.series[s].y.empty()) order.push_back(s);
    std::ranges::stable_sort(order, {}, [&](size_t s) { return y(plot_.series[s].y.back()); });
    std::vector<double> at;
    for (const size_t s : order) at.push_back(y(plot_.series[s].y.back()));
    spread(at);
    std::string all;
    for (size_t i = 0; i < order.size(); ++i) {
      const Series& series = plot_.series[order[i]];
      const double label = right_ + kLead, end = x(series.x.back());
      if (right_ - end < kLongestLead)
        all += fmt::format("<g class=\"s{}\">", order[i] % kPlotColours) +
               plot_line(end + 6, y(series.y.back()), label - 8, at[i], "lead") + "</g>";
      all += plot_marker(order[i], label, at[i]);
      all += plot_text(label + 9, at[i] + 4, shortened(series.name, kWidestName), Anchor::start, "name");
    }
    return all;
  }

  // Places in order, at least kBetweenNames apart, within the plot, and near where they were.
  static void spread(std::vector<double>& at) {
    const double top = kTitleHeight + 14, bottom = kHeight - 10;
    if (at.empty()) return;
    const double gap =
        std::min(kBetweenNames, (bottom - top) / std::max(1.0, static_cast<double>(at.size() - 1)));
    for (size_t i = 0; i < at.size(); ++i) at[i] = std::max(at[i], i == 0 ? top : at[i - 1] + gap);
    double limit = bottom;
    for (size_t i = at.size(); i-- > 0; limit = at[i] - gap) at[i] = std::min(at[i], limit);
  }

  const LinePlot& plot_;
  double right_ = 0;
  Axis x_, y_;
};

}  // namespace

std::string svg(const LinePlot& plot) { return Drawing(plot).text(); }

}  // namespace attune::view
