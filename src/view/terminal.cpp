#include "view/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "text/utf8.h"
#include "view/palette.h"
#include "view/width.h"

namespace attune::view {
namespace {

constexpr size_t kCell = 2;  // columns: about a square, and a Chinese character

// The nearest of the 6 x 6 x 6 colours 16 to 231, whose steps are 0, 95, 135, 175, 215, 255.
int palette_colour(const Rgb& rgb) {
  int colour = 16;
  for (size_t i = 0, scale = 36; i < 3; ++i, scale /= 6) {
    const float step = rgb[i] < 48 ? 0 : rgb[i] < 115 ? 1 : (rgb[i] - 35) / 40;
    colour += static_cast<int>(std::lround(std::floor(step))) * static_cast<int>(scale);
  }
  return colour;
}

std::string cell(float weight, Colours colours) {
  if (colours == Colours::none) {
    static constexpr const char* kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
    return kShades[std::clamp(static_cast<int>(std::lround(weight * 4)), 0, 4)];
  }
  const Rgb rgb = heat(weight);
  if (colours == Colours::palette) return fmt::format("\033[48;5;{}m  ", palette_colour(rgb));
  return fmt::format("\033[48;2;{:.0f};{:.0f};{:.0f}m  ", rgb[0], rgb[1], rgb[2]);
}

std::string_view end_of_colour(Colours colours) { return colours == Colours::none ? "" : "\033[0m"; }

// What each line above a column shows, from the top.
std::vector<std::string> label_lines(const std::string& label, bool downwards) {
  if (!downwards) return {label};
  std::vector<std::string> lines;
  for (Utf8Reader reader(label); const auto c = reader.next();) {
    if (display_width(c->value) == 0 && !lines.empty())
      lines.back() += c->bytes;
    else
      lines.emplace_back(c->bytes);
  }
  return lines;
}

std::string header(const std::vector<std::string>& labels, size_t margin) {
  const bool downwards = std::ranges::any_of(labels, [](const auto& s) { return display_width(s) > kCell; });
  std::vector<std::vector<std::string>> columns;
  size_t height = 0;
  for (const std::string& label : labels) {
    columns.push_back(label_lines(label, downwards));
    height = std::max(height, columns.back().size());
  }
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    std::string row(margin, ' ');
    for (const auto& column : columns) {
      const size_t above = height - column.size();
      row += pad_right(line < above ? "" : column[line - above], kCell);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Colours terminal_colours(int descriptor) {
  const std::string terminal = variable("TERM"), colour = variable("COLORTERM");
  if (isatty(descriptor) == 0 || !variable("NO_COLOR").empty() || terminal.empty() || terminal == "dumb")
    return Colours::none;
  return colour == "truecolor" || colour == "24bit" ? Colours::full : Colours::palette;
}

size_t terminal_width(int descriptor) {
  winsize size{};
  return isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string terminal_map(const AttentionMatrix& matrix, Colours colours, size_t width) {
  require_fitting(matrix);
  size_t widest = 0;
  for (const std::string& target : matrix.targets) widest = std::max(widest, display_width(target));
  const size_t margin = widest + 1, all = matrix.sources.size();
  const size_t fit = width == 0 ? all : std::max<size_t>(width > margin ? (width - margin) / kCell : 1, 1);
  std::string text;
  for (size_t first = 0; first == 0 || first < all; first += std::max<size_t>(fit, 1)) {
    const size_t end = std::min(all, first + fit);
    const auto part = [&](const auto& row) {
      return std::vector(row.begin() + static_cast<ptrdiff_t>(first),
                         row.begin() + static_cast<ptrdiff_t>(end));
    };
    if (first > 0) text += '\n';
    text += header(part(matrix.sources), margin);
    for (size_t i = 0; i < matrix.targets.size(); ++i) {
      std::string row = pad_left(matrix.targets[i], widest) + ' ';
      for (const float weight : part(matrix.weights[i])) row += cell(weight, colours);
      if (colours == Colours::none) row.erase(row.find_last_not_of(' ') + 1);
      text += fmt::format("{}{}\n", row, end_of_colour(colours));
    }
  }
  return text;
}

std::string terminal_legend(Colours colours) {
  std::string text = "0 ";
  const int steps = colours == Colours::none ? 4 : 12;
  for (int i = 0; i <= steps; ++i) text += cell(static_cast<float>(i) / static_cast<float>(steps), colours);
  return fmt::format("{}{} 1", text, end_of_colour(colours));
}

}  // namespace attune::view
