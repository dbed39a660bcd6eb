#include "vectors/vectors.h"

#include <cmath>

namespace attune {

void standardise_columns(Vectors& rows) {
  for (int64_t c = 0; c < rows.width; ++c) {
    const auto each = [&](const auto& body) {
      for (int64_t r = 0; r < rows.rows; ++r) body(rows.numbers[static_cast<size_t>(r * rows.width + c)]);
    };
    double sum = 0, squares = 0;
    each([&](float x) { sum += x; });
    const double mean = sum / static_cast<double>(rows.rows);
    each([&](float x) { squares += (x - mean) * (x - mean); });
    const double deviation = std::sqrt(squares / static_cast<double>(rows.rows)) + 1e-5;
    each([&](float& x) { x = static_cast<float>((x - mean) / deviation); });
  }
}

}  // namespace attune
