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

std::vector<PredictedRows> Predictor::predict(std::span<const std::string> lines) const {
  const NoGrad no_grad;
  const Task& task = model_->task();
  std::vector<std::vector<TokenIds>> questions;
  std::vector<int64_t> lengths;
  for (const std::string& line : lines) {
    questions.push_back(is_blank(line) ? std::vector<TokenIds>{{}}
                                       : task.question(model_->vocabularies(), {&line, 1}));
    lengths.push_back(std::ssize(questions.back()[0]));
    if (model_->longest() > 0 && lengths.back() > model_->longest())
      throw UsageError(fmt::format("{}: it has {} rows, but the model reads at most {}", line, lengths.back(),
                                   model_->longest()));
  }
  const VectorSource& target = *model_->vocabularies().target->vectors();
  std::vector<PredictedRows> results(lines.size());
  for (const auto& numbers : length_batches(lengths, mini_batch_words_)) {
    Examples examples;
    for (const size_t i : numbers) examples.push_back({questions[i]});
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
