#include "convert/matrices.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"

namespace attune {

Tensor joined(const std::vector<Tensor>& parts) {
  int64_t rows = 0;
  const bool flat = parts[0].shape().rank() == 1;
  for (const Tensor& part : parts) {
    if (part.shape().rank() != parts[0].shape().rank() || (!flat && part.columns() != parts[0].columns()))
      throw UsageError(fmt::format("matrices of the shapes {} and {} should have the same inputs",
                                   parts[0].shape().str(), part.shape().str()));
    rows += flat ? part.size() : part.rows();
  }
  Tensor all = flat ? Tensor({rows}) : Tensor({rows, parts[0].columns()});
  float* to = all.data<float>();
  for (const Tensor& part : parts) to = std::ranges::copy(part.span<float>(), to).out;
  return all;
}

std::vector<Tensor> parted(const Tensor& all, int64_t parts) {
  const int64_t rows = all.shape().rank() == 1 ? all.size() : all.rows();
  check(rows % parts == 0, "{} rows cannot be {} equal parts", rows, parts);
  std::vector<Tensor> each;
  for (int64_t i = 0; i < parts; ++i) each.push_back(all.view_rows(i * rows / parts, (i + 1) * rows / parts));
  return each;
}

Tensor transposed_matrix(const Tensor& matrix) {
  const Tensor turned({matrix.columns(), matrix.rows()});
  for (int64_t r = 0; r < matrix.rows(); ++r)
    for (int64_t c = 0; c < matrix.columns(); ++c)
      turned.data<float>()[c * matrix.rows() + r] = matrix.row<float>(r)[static_cast<size_t>(c)];
  return turned;
}

}  // namespace attune
