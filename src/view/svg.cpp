#include "view/svg.h"

#include <fmt/core.h>

#include <algorithm>

#include "text/utf8.h"
#include "view/palette.h"
#include "view/width.h"

namespace attune::view {
namespace {

constexpr size_t kCell = 18, kColumn = 8, kLine = 15, kGap = 6;  // pixels: a cell, a letter, a line, a gap

size_t widest(const std::vector<std::string>& labels) {
  size_t width = 0;
  for (const std::string& label : labels) width = std::max(width, display_width(label));
  return width;
}

std::vector<std::string> characters(const std::string& label) {
  std::vector<std::string> all;
  for (Utf8Reader reader(label); const auto c = reader.next();) {
    if (display_width(c->value) == 0 && !all.empty())
      all.back() += c->bytes;
    else
      all.emplace_back(c->bytes);
  }
  return all;
}

// Above a column: two letters or a Chinese character as they are, Chinese words downwards, other words
// turned.
enum class Standing { upright, downwards, turned };

Standing standing(const std::string& label) {
  if (display_width(label) <= 2) return Standing::upright;
  const auto all = characters(label);
  return std::ranges::all_of(all, [](const auto& c) { return display_width(c) == 2; }) ? Standing::downwards
                                                                                       : Standing::turned;
}

size_t height_above(const std::vector<std::string>& labels) {
  size_t height = kCell - kGap;
  for (const std::string& label : labels)
    height = std::max(height, standing(label) == Standing::turned ? display_width(label) * kColumn
                                                                  : characters(label).size() * kLine);
  return height;
}

std::string column_label(const std::string& label, size_t x, size_t y) {
  if (standing(label) == Standing::turned)
    return fmt::format(
        "<text x=\"{0}\" y=\"{1}\" transform=\"rotate(-90 {0} {1})\" "
        "dominant-baseline=\"central\">{2}</text>\n",
        x, y, escape_markup(label));
  if (standing(label) == Standing::upright)
    return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, y,
                       escape_markup(label));
  const auto all = characters(label);
  std::string text = "<text text-anchor=\"middle\">";
  for (size_t i = 0; i < all.size(); ++i)
    text += fmt::format("<tspan x=\"{}\" y=\"{}\">{}</tspan>", x, y - (all.size() - 1 - i) * kLine,
                        escape_markup(all[i]));
  return text + "</text>\n";
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
  const size_t left = widest(matrix.targets) * kColumn + kGap, top = height_above(matrix.sources) + kGap;
  const size_t width = matrix.sources.size() * kCell, height = matrix.targets.size() * kCell;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"ui-monospace, Menlo, Consolas, 'Noto Sans Mono CJK SC', 'PingFang SC', monospace\" "
      "font-size=\"13\" fill=\"currentColor\">\n",
      left + width + 1, top + height + 1);
  for (size_t j = 0; j < matrix.sources.size(); ++j)
    text += column_label(matrix.sources[j], left + j * kCell + kCell / 2, top - kGap);
  for (size_t i = 0; i < matrix.targets.size(); ++i)
    text +=
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" dominant-baseline=\"central\">{}</text>\n",
                    left - kGap, top + i * kCell + kCell / 2, escape_markup(matrix.targets[i]));
  for (size_t i = 0; i < matrix.targets.size(); ++i)
    for (size_t j = 0; j < matrix.sources.size(); ++j) {
      const float weight = std::clamp(matrix.weights[i][j], 0.0F, 1.0F);
      text += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{} ← {}  "
          "{:.2f}</title></rect>\n",
          left + j * kCell, top + i * kCell, kCell - 1, kCell - 1, hex_colour(heat(weight)),
          escape_markup(matrix.targets[i]), escape_markup(matrix.sources[j]), weight);
    }
  return text + "</svg>\n";
}

}  // namespace attune::view
