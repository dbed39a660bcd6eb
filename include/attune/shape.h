// Shape: the sizes of a tensor's dimensions, at most four, row-major.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace attune {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;  // rank 0: one number
  Shape(std::initializer_list<int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const int64_t> sizes);

  int rank() const { return rank_; }
  int64_t operator[](int dimension) const;  // negative counts from the last
  int64_t size() const { return rows() * columns(); }
  int64_t columns() const {
    return rank_ == 0 ? 1 : sizes_[static_cast<size_t>(rank_ - 1)];
  }                       // the last size
  int64_t rows() const {  // the product of all but the last
    int64_t product = 1;
    for (int i = 0; i + 1 < rank_; ++i) product *= sizes_[static_cast<size_t>(i)];
    return product;
  }
  Shape with_columns(int64_t columns) const;
  Shape with_rows(int64_t rows) const;  // the first size replaced

  bool operator==(const Shape&) const = default;
  std::string str() const;  // "[3, 4]"

 private:
  std::array<int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
};

}  // namespace attune
