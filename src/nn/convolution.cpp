#include "nn/convolution.h"

namespace attune {
namespace {

// The row of [before; x] in which the token stands that is `offset` tokens from the first of sentence s;
// `kept` rows of `before` belong to each sentence.
int32_t row_at(int64_t s, int64_t offset, const Rows& rows, int64_t kept, const Tensor& before) {
  if (offset >= rows.length(s) || offset < (before ? -kept : 0)) return kNoWord;
  if (offset < 0) return static_cast<int32_t>(s * kept + kept + offset);
  return static_cast<int32_t>((before ? before.rows() : 0) + rows.begin(s) + offset);
}

Tensor gathered(const Tensor& x, const Tensor& before, const std::vector<int32_t>& from) {
  const Tensor ids = Tensor::of<int32_t>({static_cast<int64_t>(from.size())}, from);
  if (!before) return embedding(x, ids);
  const Tensor parts[] = {before, x};
  return embedding(concat_rows(parts), ids);
}

}  // namespace

Tensor neighbours(const Tensor& x, const Rows& rows, int64_t width, int64_t ahead, const Tensor& before) {
  const int64_t back = width - 1 - ahead;
  std::vector<int32_t> from;
  from.reserve(static_cast<size_t>(rows.total() * width));
  for (int64_t s = 0; s < rows.count(); ++s)
    for (int64_t t = 0; t < rows.length(s); ++t)
      for (int64_t k = -back; k <= ahead; ++k) from.push_back(row_at(s, t + k, rows, back, before));
  return reshape(gathered(x, before, from), {rows.total(), width * x.columns()});
}

Tensor last_rows(const Tensor& x, const Rows& rows, int64_t count, const Tensor& before) {
  std::vector<int32_t> from;
  for (int64_t s = 0; s < rows.count(); ++s)
    for (int64_t k = count; k > 0; --k) from.push_back(row_at(s, rows.length(s) - k, rows, count, before));
  return gathered(x, before, from);
}

}  // namespace attune
