#include "decode/search/drawable_words.h"

#include <algorithm>

#include "ops/choosing.h"

namespace attune {
namespace {

// The columns of the fewest of the likeliest whose probabilities reach `share`, at most `most`, likeliest
// first.
std::vector<int32_t> nucleus(const Tensor& p, double share, int64_t most) {
  for (int64_t k = std::min<int64_t>(most, 64);; k = std::min(most, 8 * k)) {
    std::vector<int32_t> chosen;
    double sum = 0;
    for (const int32_t column : largest(p.view({1, p.size()}), k)) {
      chosen.push_back(column);
      if ((sum += p.span<double>()[static_cast<size_t>(column)]) >= share) return chosen;
    }
    if (k == most) return chosen;
  }
}

}  // namespace

std::vector<DrawableWord> drawable_words(const NextWords& words, int64_t row, const SearchOptions& options) {
  const Tensor p = words.probabilities(row, options.temperature);
  std::vector<DrawableWord> all;
  double sum = 0;
  const auto add = [&](int32_t column) {
    const double each = p.span<double>()[static_cast<size_t>(column)];
    if (each == 0) return;
    all.push_back({words.word(row, column), each});
    sum += each;
  };
  if (options.top_k == 0 && options.top_p == 1) {
    for (int32_t column = 0; column < p.size(); ++column) add(column);
  } else {
    const int64_t most = options.top_k > 0 ? std::min(options.top_k, p.size()) : p.size();
    for (const int32_t column : nucleus(p, options.top_p, most)) add(column);
  }
  for (DrawableWord& word : all) word.p /= sum;
  return all;
}

}  // namespace attune
