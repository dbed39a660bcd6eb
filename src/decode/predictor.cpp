#include "decode/predictor.h"

#include <fmt/core.h>

#include <iterator>

#include "attune/autograd.h"
#include "attune/error.h"
#include "base/transposed.h"
#include "decode/length_batches.h"
#include "text/utf8.h"
#include "text/vocabulary/vector_source.h"

namespace attune {
namespace {

// The mean of the models' answers, in the units of the files.
Tensor answers(std::span<const WeightedModel> models, const Batch& batch) {
  Tensor sum;
  for (const auto& [model, weight] : models) {
    Pass pass;
    const Tensor own = scale(model->logits(model->features(batch, pass)), weight);
    sum = sum ? add(sum, own) : own;
  }
  return batch.unit ? add(mul(sum, batch.unit), batch.mean) : sum;
}

}  // namespace

TokenIds Predictor::sample(const std::string& line) const {
  if (is_blank(line)) return {};
  TokenIds rows = model_->task().question(model_->vocabularies(), {&line, 1})[0];
  if (model_->longest() > 0 && std::ssize(rows) > model_->longest())
    throw UsageError(fmt::format("{}: it has {} rows, but the model reads at most {}", line, rows.size(),
                                 model_->longest()));
  return rows;
}

std::vector<PredictedRows> Predictor::predict(std::span<const TokenIds> samples) const {
  const NoGrad no_grad;
  const Task& task = model_->task();
  std::vector<int64_t> lengths;
  for (const TokenIds& sample : samples) lengths.push_back(std::ssize(sample));
  const VectorSource& target = *model_->vocabularies().target->vectors();
  std::vector<PredictedRows> results(samples.size());
  for (const auto& numbers : length_batches(lengths, mini_batch_words_)) {
    Examples examples;
    for (const size_t i : numbers) examples.push_back({{samples[i]}});
    const Tensor rows = answers(model_->models(), task.batch(model_->vocabularies(), examples));
    auto from = rows.span<float>().begin();
    for (const size_t i : numbers) {
      PredictedRows& to = results[i];
      to = {lengths[i], target.width(), {from, from + lengths[i] * target.width()}};
      from += lengths[i] * target.width();
      if (target.transposed()) to = {to.width, to.rows, transposed<float>(to.numbers, to.rows, to.width)};
    }
  }
  return results;
}

}  // namespace attune
