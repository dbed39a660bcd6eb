#include "view/gauge.h"

#include <algorithm>
#include <cmath>

namespace attune::view {

std::string bar(double share, size_t columns) {
  const auto full =
      static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns)));
  std::string text;
  for (size_t i = 0; i < columns; ++i) text += i < full ? "━" : "╌";
  return text;
}

std::string curve(const std::vector<double>& percents, size_t columns) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (size_t i = percents.size() - std::min(columns, percents.size()); i < percents.size(); ++i)
    text += kBlocks[std::clamp(static_cast<int>(percents[i] / 100 * 8), 0, 7)];
  return text;
}

}  // namespace attune::view
