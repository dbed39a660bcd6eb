#include "view/gradients.h"

#include <cmath>

namespace attune::view {

NumberTable shares(const NumberTable& table) {
  NumberTable all = table;
  for (size_t r = 0; r < all.rows; ++r) {
    const auto row = std::span(all.numbers).subspan(r * all.columns, all.columns);
    float sum = 0;
    for (const float x : row) sum += std::abs(x);
    for (float& x : row) x = sum > 0 ? std::abs(x) / sum : 0;
  }
  return all;
}

void show_gradients(Attention& attention) {
  attention.layers.clear();
  for (const auto& [kind, table] : attention.gradients)
    attention.layers.push_back(
        {.kind = kind, .queries = table.rows, .keys = table.columns, .weights = shares(table).numbers});
}

}  // namespace attune::view
