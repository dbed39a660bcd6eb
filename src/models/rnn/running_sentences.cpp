#include "models/rnn/running_sentences.h"

#include <algorithm>
#include <numeric>

namespace attune {
namespace {

std::vector<Tensor> take_rows_of(const std::vector<Tensor>& tensors, std::span<const int64_t> rows) {
  std::vector<Tensor> taken;
  for (const Tensor& t : tensors) taken.push_back(t ? take_rows(t, rows) : t);
  return taken;
}

// position[order[i]] = i
std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> position(order.size());
  for (size_t i = 0; i < order.size(); ++i) position[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return position;
}

}  // namespace

RunningSentences::RunningSentences(const Rows& rows, std::vector<Tensor> tensors)
    : rows_(rows), running_(static_cast<size_t>(rows.count())), tensors_(std::move(tensors)) {
  std::iota(running_.begin(), running_.end(), 0);
}

void RunningSentences::keep_those_with_token(int64_t t) {
  std::vector<int64_t> stay, leave, still_running;
  Stopped stopped;
  for (size_t i = 0; i < running_.size(); ++i) {
    const bool stays = rows_.length(running_[i]) > t;
    (stays ? stay : leave).push_back(static_cast<int64_t>(i));
    (stays ? still_running : stopped.sentences).push_back(running_[i]);
  }
  if (leave.empty()) return;
  stopped.tensors = take_rows_of(tensors_, leave);
  stopped_.push_back(std::move(stopped));
  tensors_ = take_rows_of(tensors_, stay);
  running_ = std::move(still_running);
}

std::vector<int64_t> RunningSentences::tokens(int64_t t) {
  std::vector<int64_t> tokens;
  for (const int64_t s : running_) tokens.push_back(rows_.begin(s) + t);
  order_.insert(order_.end(), tokens.begin(), tokens.end());
  return tokens;
}

Rows RunningSentences::queries() const {
  std::vector<int64_t> lengths(static_cast<size_t>(rows_.count()), 0);
  for (const int64_t s : running_) lengths[static_cast<size_t>(s)] = 1;
  return Rows(lengths);
}

std::vector<Tensor> RunningSentences::all_tensors() const {
  if (stopped_.empty()) return tensors_;
  std::vector<int64_t> order = running_;
  for (const Stopped& group : stopped_)
    order.insert(order.end(), group.sentences.begin(), group.sentences.end());
  const std::vector<int64_t> position = inverse(order);
  std::vector<Tensor> all;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    std::vector<Tensor> parts{tensors_[i]};
    for (const Stopped& group : stopped_) parts.push_back(group.tensors[i]);
    all.push_back(tensors_[i] ? take_rows(concat_rows(parts), position) : Tensor());
  }
  return all;
}

Tensor RunningSentences::in_sentence_order(const std::vector<Tensor>& steps) const {
  return take_rows(concat_rows(steps), inverse(order_));
}

Tensor take_positions(const Tensor& positions, std::span<const int64_t> tokens) {
  const Tensor taken({std::ssize(tokens)}, DType::i32);
  std::ranges::transform(tokens, taken.data<int32_t>(),
                         [&](int64_t token) { return positions.data<int32_t>()[token]; });
  return taken;
}

void StepwiseLens::attention(AttentionName, const Tensor& weights, const Rows&, const Rows&, int) {
  steps_.push_back(weights);
}

void StepwiseLens::inputs(AttentionName, const AttentionInputs& inputs) { inputs_.push_back(inputs); }

void StepwiseLens::show(Lens& lens, AttentionName name) const {
  // Of one sentence; the queries of several would have to be sorted.
  if (CloseLens* const close = CloseLens::of(&lens);
      close != nullptr && queries_.count() == 1 && std::ssize(inputs_) == queries_.total()) {
    AttentionInputs all = inputs_[0];
    std::vector<Tensor> queries, read;
    for (const AttentionInputs& each : inputs_) {
      queries.push_back(each.queries);
      read.push_back(each.x);
    }
    all.queries = concat_rows(queries);
    all.x = concat_rows(read);
    close->inputs(name, all);
  }
  std::vector<double> all;
  std::vector<int64_t> taken(steps_.size(),
                             0);  // how much of each step's weights the earlier sentences have used
  std::vector<Tensor> wide;
  for (const Tensor& step : steps_) wide.push_back(step.to(DType::f64));
  for (int64_t s = 0; s < queries_.count(); ++s)
    for (int64_t t = 0; t < queries_.length(s); ++t) {
      const auto i = static_cast<size_t>(t);
      const auto row =
          wide[i].span<double>().subspan(static_cast<size_t>(taken[i]), static_cast<size_t>(keys_.length(s)));
      all.insert(all.end(), row.begin(), row.end());
      taken[i] += keys_.length(s);
    }
  const DType dtype = steps_.empty() ? DType::f32 : steps_[0].dtype();
  lens.attention(name, Tensor::of<double>({static_cast<int64_t>(all.size())}, all).to(dtype), queries_, keys_,
                 1);
}

}  // namespace attune
