#include "attune/shape.h"

#include <limits>

#include "base/check.h"

namespace attune {

Shape::Shape(std::span<const int64_t> sizes) {
  check(sizes.size() <= kMaxRank, "Shape: {} dimensions were given, but at most {} are supported",
        sizes.size(), kMaxRank);
  int64_t product = 1;
  for (const int64_t size : sizes) {
    check(size >= 0, "Shape: a size must not be negative, but {} was given", size);
    check(size == 0 || product <= std::numeric_limits<int64_t>::max() / 8 / size,
          "Shape: the product of the sizes is more than memory can hold");
    product *= size == 0 ? 1 : size;
    sizes_[static_cast<size_t>(rank_++)] = size;
  }
}

int64_t Shape::operator[](int dimension) const {
  const int i = dimension < 0 ? dimension + rank_ : dimension;
  check(i >= 0 && i < rank_, "Shape: {} has no dimension {}", str(), dimension);
  return sizes_[static_cast<size_t>(i)];
}

Shape Shape::with_columns(int64_t columns) const {
  Shape s = *this;
  check(rank_ > 0, "Shape: a single number has no columns");
  s.sizes_[static_cast<size_t>(rank_ - 1)] = columns;
  return s;
}

Shape Shape::with_rows(int64_t rows) const {
  Shape s = *this;
  check(rank_ > 0, "Shape: a single number has no rows");
  s.sizes_[0] = rows;
  return s;
}

std::string Shape::str() const {
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) text += (i ? ", " : "") + std::to_string(sizes_[static_cast<size_t>(i)]);
  return text + "]";
}

}  // namespace attune
