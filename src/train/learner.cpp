#include "train/learner.h"

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "base/parallel.h"
#include "tensor/after_each.h"

namespace attune {
namespace {

// average += share (values - average)
void move_average(const Tensor& average, const Tensor& values, float share) {
  parallel_for(values.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    float* to = average.data<float>();
    const float* from = values.data<float>();
    for (int64_t i = begin; i < end; ++i) to[i] += share * (from[i] - to[i]);
  });
}

}  // namespace

void Learner::Sums::operator+=(const Sums& other) {
  loss += other.loss;
  nll += other.nll;
  tokens += other.tokens;
  correct += other.correct;
  alignment += other.alignment;
}

Learner::Learner(const ModelConfig& config, const Words& words, const TrainConfig& train, Ranks& ranks)
    : config_(train),
      ranks_(ranks),
      guided_attention_(config.guided_attention()),
      model_(config.make(Scope(parameters_, Random(static_cast<uint64_t>(train.seed))), words)),
      exchange_(parameters_, ranks, train.shard_optimizer),
      parts_(divide(parameters_.values().size(), train.shard_optimizer ? ranks.size() : 1)) {
  first_ = Tensor::zeros({own_part().size()});
  second_ = Tensor::zeros({own_part().size()});
  if (config_.exponential_smoothing > 0) average_ = parameters_.values().clone();
  parameters_.zero_gradients();
}

void Learner::add(const Batch& batch, const Random& random, bool last) {
  Guide guide{guided_attention_, batch.links, config_.guided_alignment_cost};
  Pass pass = Pass::training(random, batch.links ? &guide : nullptr);
  const CrossEntropy result = model_->loss(batch, config_.label_smoothing, pass);
  double nll = 0;
  for (const float x : result.nll.span<float>()) nll += x;
  sums_ += {result.loss.item(), nll, result.counted, result.correct, guide.loss ? guide.loss.item() : 0};
  if (result.counted == 0) return;
  AfterEach after_each;
  if (last && !ranks_.alone()) after_each = [this](auto gradients) { exchange_.done(gradients); };
  backward(
      guide.loss ? attune::add(result.loss, scale(guide.loss, config_.guided_alignment_weight)) : result.loss,
      1, after_each);
}

Learner::Update Learner::update(double rate) {
  exchange_.finish();
  Update done{.sums = std::exchange(sums_, {})};
  done.exchange = exchange_.seconds();
  // Each rank looks at its own part of the gradient.
  double all[] = {done.sums.loss,
                  done.sums.nll,
                  static_cast<double>(done.sums.tokens),
                  static_cast<double>(done.sums.correct),
                  done.sums.alignment,
                  squared_norm(exchange_.own_part().of(parameters_.gradients()))};
  ranks_.sum(all);
  done.sums = {all[0], all[1], static_cast<int64_t>(all[2]), static_cast<int64_t>(all[3]), all[4]};
  const double mean = 1.0 / std::max(all[2], 1.0);
  done.norm = mean * std::sqrt(all[5]);
  done.finite = std::isfinite(done.norm) && std::isfinite(done.sums.loss);
  if (done.finite && done.sums.tokens > 0) {
    const double clip =
        config_.clip_norm > 0 ? std::min(1.0, config_.clip_norm / std::max(done.norm, 1e-30)) : 1;
    const FlatPart& part = own_part();
    adam(part.of(parameters_.values()), part.of(parameters_.gradients()), first_, second_,
         {.learning_rate = rate,
          .beta1 = config_.adam_beta1,
          .beta2 = config_.adam_beta2,
          .eps = config_.adam_epsilon,
          .weight_decay = config_.optimizer == Optimizer::adamw ? config_.weight_decay : 0,
          .gradient_scale = mean * clip,
          .step = ++updates_});
    for (size_t owner = 0; parts_.size() > 1 && owner < parts_.size(); ++owner)
      ranks_.start_broadcast(parts_[owner].of(parameters_.values()).span<float>(), static_cast<int>(owner));
    ranks_.wait();
    // At first the average follows faster, so that it forgets the random beginning.
    const double t = static_cast<double>(updates_),
                 share = std::max(config_.exponential_smoothing, 9 / (t + 9));
    if (average_) move_average(average_, parameters_.values(), static_cast<float>(share));
  }
  parameters_.zero_gradients();
  return done;
}

// The moments of all parts, at rank 0; the others send theirs and get nothing.
Tensor Learner::gathered(const Tensor& moment) {
  if (parts_.size() == 1) return moment;
  const Tensor whole = ranks_.first() ? Tensor(parameters_.values().shape()) : Tensor();
  for (size_t owner = 0; owner < parts_.size(); ++owner) {
    const FlatPart& part = parts_[owner];
    const Tensor place = owns(owner) ? moment : whole ? part.of(whole) : Tensor({part.size()});
    ranks_.start_broadcast(place.span<float>(), static_cast<int>(owner));
    ranks_.wait();
    if (owns(owner) && whole) part.of(whole).copy_from(moment);
  }
  return whole;
}

// The other way round: rank 0 has the whole.
void Learner::scatter(const Tensor& whole, const Tensor& moment) {
  for (size_t owner = 0; owner < parts_.size(); ++owner) {
    const Tensor place = owns(owner) ? moment : Tensor({parts_[owner].size()});
    if (whole) place.copy_from(parts_[owner].of(whole));
    ranks_.start_broadcast(place.span<float>());
    ranks_.wait();
  }
}

std::vector<NamedTensor> Learner::tensors() {
  std::vector<NamedTensor> all{{"values", parameters_.values()},
                               {"first_moment", gathered(first_)},
                               {"second_moment", gathered(second_)}};
  if (average_) all.push_back({"average", average_});
  return all;
}

void Learner::restore(const SafeTensors* file, int64_t updates) {
  const auto from = [&](const char* name) { return file != nullptr ? file->tensor(name) : Tensor(); };
  scatter(from("first_moment"), first_);
  scatter(from("second_moment"), second_);
  for (const NamedTensor& whole : {NamedTensor{"values", parameters_.values()}, {"average", average_}}) {
    if (!whole.tensor) continue;
    if (file != nullptr) whole.tensor.copy_from(file->tensor(whole.name));
    ranks_.start_broadcast(whole.tensor.span<float>());
  }
  ranks_.wait();
  sums_ = {};
  updates_ = updates;
  parameters_.zero_gradients();
}

void Learner::share_values() {
  ranks_.start_broadcast(parameters_.values().span<float>());
  ranks_.wait();
}

}  // namespace attune
