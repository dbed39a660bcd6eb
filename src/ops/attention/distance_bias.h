// DistanceBias: a table of what attention adds to a score by the distance between key and query, laid out so
// that kernels read it without looking at its ends.
#pragma once

#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

class DistanceBias {
 public:
  DistanceBias() = default;
  // table [2 r + 1, heads], for the distances -r .. r; those beyond count as -r or r.
  DistanceBias(const Tensor& table, const Rows& queries, const Rows& keys);

  bool defined() const { return static_cast<bool>(all_); }
  int64_t width() const { return all_.columns(); }

  // Points to distance 0 of a row of `width` numbers: of the bias, or of its gradient.
  template <class T>
  T* zero(T* row) const {
    return row + reach_;
  }
  template <class T>
  const T* of_head(int64_t head) const {
    return defined() ? zero(all_.data<T>() + head * width()) : nullptr;
  }

  // The gradient of the table, from rows [sentences, heads, width].
  Tensor gradient(const Tensor& rows) const;

 private:
  int64_t row(int64_t column) const;  // of the table

  Tensor all_;  // [heads, distances -reach .. reach and what a vector reads beyond]
  int64_t reach_ = 0, radius_ = 0;
};

}  // namespace attune
