#include "view/svg.h"

#include <fmt/core.h>

#include <algorithm>

#include "view/width.h"

namespace attune::view {
namespace {

constexpr float kSmallest = 0.005F;
constexpr size_t kCell = 18, kColumn = 8, kGap = 6;  // pixels: a cell, a letter, labels from cells

size_t widest(const std::vector<std::string>& labels) {
  size_t width = 0;
  for (const std::string& label : labels) width = std::max(width, display_width(label));
  return width;
}

std::string column_label(const std::string& label, size_t x, size_t y, bool upright) {
  const std::string turn = upright ? "" : fmt::format(" transform=\"rotate(-90 {} {})\"", x, y);
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y, turn,
                     upright ? " text-anchor=\"middle\"" : " dominant-baseline=\"central\"",
                     escape_markup(label));
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string svg(const AttentionMatrix& matrix) {
  require_fitting(matrix);
  const bool upright = widest(matrix.sources) <= 2;
  const size_t left = widest(matrix.targets) * kColumn + kGap;
  const size_t top = (upright ? kCell - kGap : widest(matrix.sources) * kColumn) + kGap;
  const size_t width = matrix.sources.size() * kCell, height = matrix.targets.size() * kCell;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\" fill=\"currentColor\">\n",
      left + width + 1, top + height + 1);
  for (size_t j = 0; j < matrix.sources.size(); ++j)
    text += column_label(matrix.sources[j], left + j * kCell + kCell / 2, top - kGap, upright);
  for (size_t i = 0; i < matrix.targets.size(); ++i)
    text +=
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" dominant-baseline=\"central\">{}</text>\n",
                    left - kGap, top + i * kCell + kCell / 2, escape_markup(matrix.targets[i]));
  text += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\".05\"/>\n<g fill=\"#e4572e\">\n",
      left, top, width, height);
  for (size_t i = 0; i < matrix.targets.size(); ++i)
    for (size_t j = 0; j < matrix.sources.size(); ++j) {
      const float weight = std::clamp(matrix.weights[i][j], 0.0F, 1.0F);
      if (weight < kSmallest) continue;
      text += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill-opacity=\"{:.2f}\"><title>{} ← "
          "{}  "
          "{:.2f}</title></rect>\n",
          left + j * kCell + 1, top + i * kCell + 1, kCell - 1, kCell - 1, weight,
          escape_markup(matrix.targets[i]), escape_markup(matrix.sources[j]), weight);
    }
  return text + "</g>\n</svg>\n";
}

}  // namespace attune::view
