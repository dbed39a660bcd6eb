#include "models/model.h"

#include <algorithm>

#include "ops/loss/alignment_loss.h"

namespace attune {
namespace {

// The token of each text with the highest number is the one that is marked.
std::vector<bool> found(const Tensor& energy, const Tensor& links, const Rows& rows) {
  const Tensor numbers = energy.detach().to(DType::f64), marked = links.to(DType::f64);
  const auto energies = numbers.span<double>(), marks = marked.span<double>();
  std::vector<bool> all;
  for (int64_t s = 0; s < rows.count(); ++s) {
    const auto first = energies.begin() + rows.begin(s), end = energies.begin() + rows.end(s);
    all.push_back(first != end &&
                  marks[static_cast<size_t>(std::max_element(first, end) - energies.begin())] > 0);
  }
  return all;
}

// -log softmax_t(first) - log softmax_t(last), over the tokens t of a text.
Loss span_loss(const Tensor& logits, const Batch& batch) {
  const Rows& rows = batch.source.rows;
  const auto columns = split_columns(logits, std::vector<int64_t>{1, 1});
  const Tensor first = reshape(columns[0], {rows.total()}), last = reshape(columns[1], {rows.total()});
  Loss result;
  result.loss = add(alignment_loss(first, batch.span_first, rows, AlignmentCost::ce),
                    alignment_loss(last, batch.span_last, rows, AlignmentCost::ce));
  result.nll = Tensor::full({1}, result.loss.item(), logits.dtype());
  result.counted = rows.count();
  const auto begins = found(first, batch.span_first, rows), ends = found(last, batch.span_last, rows);
  for (size_t s = 0; s < begins.size(); ++s) result.correct += begins[s] && ends[s] ? 1 : 0;
  return result;
}

}  // namespace

Loss Model::loss_of(const Tensor& x, const Batch& batch, double label_smoothing) const {
  if (batch.numbers) {
    const NumberError error = number_error(logits(x), batch.numbers, batch.unit, batch.error);
    return {{error.loss, error.rows, batch.numbers.rows()}, error.squared, error.absolute};
  }
  if (batch.span_first) return span_loss(logits(x), batch);
  return {linear_cross_entropy(x, output_weight(), output_bias(), batch.expected, label_smoothing)};
}

}  // namespace attune
