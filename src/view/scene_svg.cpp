#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "view/scene.h"
#include "view/svg.h"

namespace attune::view {
namespace {

constexpr size_t kMostPanels = 24;   // pictures of a row of the matrix each
constexpr size_t kMostCircled = 60;  // nodes that are drawn at once
constexpr size_t kMostCurves = 12;   // columns of a series that are drawn as curves
constexpr double kGap = 12, kLine = 18;
constexpr float kClear = 4;  // so many times the mean is a weight that is drawn in full
constexpr const char* kColour = "#e4572e";

std::string opened(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\" fill=\"currentColor\">\n",
      width, height);
}

std::string text_at(double x, double y, const std::string& label, const char* anchor = "middle") {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" dominant-baseline=\"central\">{}</text>\n", x, y,
      anchor, escape_markup(label));
}

struct Weights {
  const std::vector<float>& row;
  const Scene& scene;

  float operator()(size_t token) const { return std::clamp(row[scene.first + token], 0.0F, 1.0F); }
  // The largest of the row is drawn in full, unless all are about the same.
  float shade(size_t token) const {
    float most = std::min(1.0F, kClear / static_cast<float>(scene.count));
    for (size_t i = 0; i < scene.count; ++i) most = std::max(most, (*this)(i));
    return (*this)(token) / most;
  }
};

std::string marked(double x, double y, double width, double height, float shade, float weight) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
      "fill-opacity=\"{:.2f}\" shape-rendering=\"crispEdges\">"
      "<title>{:.3f}</title></rect>\n",
      x, y, width, height, kColour, 0.75 * shade, weight);
}

// A small copy of the picture for each row, with its weights over the patches.
std::string pictures(const AttentionMatrix& matrix, const Scene& scene) {
  const size_t panels = std::min(matrix.targets.size(), kMostPanels);
  const double scale = std::max(1.0, 160.0 / static_cast<double>(std::max(scene.width, scene.height)));
  const double width = scale * static_cast<double>(scene.width),
               height = scale * static_cast<double>(scene.height);
  const size_t columns =
      std::max<size_t>(1, std::min<size_t>(panels, static_cast<size_t>(960 / (width + kGap))));
  const size_t lines = (panels + columns - 1) / columns, down = scene.count / scene.across;
  std::string text = opened(static_cast<double>(columns) * (width + kGap) + kGap,
                            static_cast<double>(lines) * (height + kLine + kGap) + kGap);
  text += fmt::format(
      "<defs><image id=\"read\" width=\"{:.1f}\" height=\"{:.1f}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" href=\"{}\"/></defs>\n",
      width, height, image_of(scene));
  for (size_t p = 0; p < panels; ++p) {
    const Weights weights{matrix.weights[p], scene};
    const size_t line = p / columns, column = p % columns;
    const double x = kGap + static_cast<double>(column) * (width + kGap),
                 y = kGap + static_cast<double>(line) * (height + kLine + kGap);
    text += fmt::format("<use href=\"#read\" x=\"{:.1f}\" y=\"{:.1f}\"/>\n", x, y);
    const double patch = width / static_cast<double>(scene.across), tall = height / static_cast<double>(down);
    for (size_t i = 0; i < scene.count; ++i) {
      const size_t patch_line = i / scene.across, patch_column = i % scene.across;
      text += marked(x + patch * static_cast<double>(patch_column),
                     y + tall * static_cast<double>(patch_line), patch, tall, weights.shade(i), weights(i));
    }
    text += text_at(x + width / 2, y + height + kLine / 2 + 2, matrix.targets[p]);
  }
  return text + "</svg>\n";
}

// A curve of `count` numbers, each `step` after the other, in a box.
std::string curve(const float* numbers, size_t count, size_t step, double x, double y, double width,
                  double height) {
  float least = numbers[0], most = numbers[0];
  for (size_t i = 0; i < count; ++i) {
    least = std::min(least, numbers[i * step]);
    most = std::max(most, numbers[i * step]);
  }
  const double range = most > least ? most - least : 1;
  std::string points;
  for (size_t i = 0; i < count; ++i)
    points +=
        fmt::format("{:.1f},{:.1f} ", x + width * (static_cast<double>(i) + 0.5) / static_cast<double>(count),
                    y + height * (1 - (numbers[i * step] - least) / range));
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".6\"/>\n", points);
}

// The series above, and a line of weights for each row under it, step under step.
std::string time_axis(const AttentionMatrix& matrix, const Scene& scene) {
  size_t letters = 1;
  for (const std::string& label : matrix.targets) letters = std::max(letters, label.size());
  const double left = 8.0 * static_cast<double>(std::min<size_t>(letters, 24)) + kGap, high = 110;
  const double step = std::clamp(800 / static_cast<double>(std::max<size_t>(scene.count, 1)), 2.0, 18.0);
  const double width = step * static_cast<double>(scene.count);
  const size_t lines = matrix.targets.size();
  std::string text = opened(left + width + kGap, high + kGap + kLine * static_cast<double>(lines) + kGap);
  if (scene.columns > kMostCurves)
    text += fmt::format(
        "<image x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "href=\"{}\"/>\n",
        left, 4, width, high, image_of(scene));
  else
    for (size_t c = 0; c < scene.columns; ++c)
      text += curve(scene.numbers.data() + c, scene.count, scene.columns, left, 4, width, high);
  for (size_t r = 0; r < lines; ++r) {
    const Weights weights{matrix.weights[r], scene};
    const double y = high + kGap + kLine * static_cast<double>(r);
    text += text_at(left - 6, y + kLine / 2, matrix.targets[r], "end");
    for (size_t i = 0; i < scene.count; ++i)
      if (weights(i) > 0.001F)
        text += marked(left + step * static_cast<double>(i), y + 1, step, kLine - 2, weights.shade(i),
                       weights(i));
  }
  return text + "</svg>\n";
}

// A cell for each pair of variables: the curve of the one that is seen, and how much.
std::string variables(const AttentionMatrix& matrix, const Scene& scene) {
  const double cell = 72, tall = 40, left = 60;
  const size_t shown = std::min(scene.count, kMostPanels);
  std::string text =
      opened(left + cell * static_cast<double>(shown) + kGap,
             kLine + tall * static_cast<double>(std::min(matrix.targets.size(), shown)) + kGap);
  for (size_t k = 0; k < shown; ++k)
    text += text_at(left + cell * (static_cast<double>(k) + 0.5), kLine / 2, matrix.sources[scene.first + k]);
  for (size_t q = 0; q < std::min(matrix.targets.size(), shown); ++q) {
    const Weights weights{matrix.weights[q], scene};
    const double y = kLine + tall * static_cast<double>(q);
    text += text_at(left - 6, y + tall / 2, matrix.targets[q], "end");
    for (size_t k = 0; k < shown; ++k) {
      const double x = left + cell * static_cast<double>(k);
      text += marked(x + 1, y + 1, cell - 2, tall - 2, weights.shade(k), weights(k));
      text +=
          curve(scene.numbers.data() + k * scene.columns, scene.columns, 1, x + 3, y + 4, cell - 6, tall - 8);
    }
  }
  return text + "</svg>\n";
}

struct Point {
  double x, y;
};

Point on_circle(size_t number, size_t count, Point centre, double radius) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(number) / static_cast<double>(count) - std::numbers::pi / 2;
  return {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
}

std::string line_between(Point a, Point b, float weight) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-opacity=\"{:.2f}\" "
      "stroke-width=\"{:.1f}\"><title>{:.3f}</title></line>\n",
      a.x, a.y, b.x, b.y, kColour, 0.2 + 0.8 * weight, 0.5 + 6 * weight, weight);
}

std::string node(Point at, const std::string& label, float own) {
  return fmt::format(
      "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"11\" fill=\"#fff\" stroke=\"{2}\" "
      "stroke-width=\"{3:.1f}\"/>\n"
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\" dominant-baseline=\"central\" "
      "font-size=\"10\" fill=\"#222\">{4}</text>\n",
      at.x, at.y, kColour, 0.5 + 4 * own, escape_markup(label));
}

// All nodes on a circle, lines as wide as the weights; a node's own weight is the width of its rim.
std::string whole_graph(const AttentionMatrix& matrix, const Scene& scene) {
  const double radius = std::max(60.0, 4.5 * static_cast<double>(scene.count)), side = 2 * radius + 4 * kGap;
  const Point centre{side / 2, side / 2};
  const auto at = [&](size_t i) { return on_circle(i, scene.count, centre, radius); };
  std::string text = opened(side, side);
  for (const auto& [from, to] : scene.edges)
    if (from < matrix.weights.size())
      text += line_between(at(from), at(to), Weights{matrix.weights[from], scene}(to));
  for (size_t i = 0; i < scene.count; ++i)
    text += node(at(i), matrix.sources[scene.first + i],
                 i < matrix.weights.size() ? Weights{matrix.weights[i], scene}(i) : 0);
  return text + "</svg>\n";
}

// Of a large graph: some nodes, each in the middle of those that it sees.
std::string neighbourhoods(const AttentionMatrix& matrix, const Scene& scene) {
  const double side = 200;
  const size_t columns = 5, panels = std::min<size_t>(matrix.targets.size(), 15);
  const size_t lines = (panels + columns - 1) / columns;
  std::string text = opened(side * static_cast<double>(columns), side * static_cast<double>(lines));
  for (size_t p = 0; p < panels; ++p) {
    const Weights weights{matrix.weights[p], scene};
    const size_t line = p / columns, column = p % columns;
    const Point centre{side * (static_cast<double>(column) + 0.5), side * (static_cast<double>(line) + 0.5)};
    std::vector<size_t> seen;
    for (const auto& [from, to] : scene.edges)
      if (from == p && to != p) seen.push_back(to);
    std::ranges::sort(seen, [&](size_t a, size_t b) { return weights(a) > weights(b); });
    if (seen.size() > kMostPanels) seen.resize(kMostPanels);
    for (size_t i = 0; i < seen.size(); ++i)
      text += line_between(centre, on_circle(i, seen.size(), centre, 76), weights(seen[i]));
    for (size_t i = 0; i < seen.size(); ++i)
      text += node(on_circle(i, seen.size(), centre, 76), matrix.sources[scene.first + seen[i]], 0);
    text += node(centre, matrix.targets[p], weights(p));
  }
  return text + "</svg>\n";
}

}  // namespace

std::string scene_svg(const AttentionMatrix& matrix, const Scene& scene) {
  require_fitting(matrix);
  if (matrix.targets.empty() || scene.count == 0) return svg(matrix);
  switch (scene.kind) {
    case SceneKind::picture: return pictures(matrix, scene);
    case SceneKind::series: return time_axis(matrix, scene);
    case SceneKind::variables: return variables(matrix, scene);
    case SceneKind::graph: break;
  }
  return scene.count <= kMostCircled ? whole_graph(matrix, scene) : neighbourhoods(matrix, scene);
}

}  // namespace attune::view
