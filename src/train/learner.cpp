#include "train/learner.h"

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "base/parallel.h"

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

Learner::Learner(const ModelConfig& config, const Words& words, const TrainConfig& train)
    : config_(train),
      guided_attention_(config.guided_attention()),
      model_(config.make(Scope(parameters_, Random(static_cast<uint64_t>(train.seed))), words)) {
  const Shape shape = parameters_.values().shape();
  first_ = Tensor::zeros(shape);
  second_ = Tensor::zeros(shape);
  if (config_.exponential_smoothing > 0) average_ = parameters_.values().clone();
  parameters_.zero_gradients();
}

void Learner::add(const Batch& batch, const Random& random) {
  Guide guide{guided_attention_, batch.links, config_.guided_alignment_cost};
  Pass pass = Pass::training(random, batch.links ? &guide : nullptr);
  const CrossEntropy result = model_->loss(batch, config_.label_smoothing, pass);
  double nll = 0;
  for (const float x : result.nll.span<float>()) nll += x;
  sums_ += {result.loss.item(), nll, result.counted, result.correct, guide.loss ? guide.loss.item() : 0};
  if (result.counted == 0) return;
  backward(guide.loss ? attune::add(result.loss, scale(guide.loss, config_.guided_alignment_weight))
                      : result.loss);
}

Learner::Update Learner::update(double rate) {
  Update done{std::exchange(sums_, {})};
  const double mean = 1.0 / static_cast<double>(std::max<int64_t>(done.sums.tokens, 1));
  done.norm = mean * std::sqrt(squared_norm(parameters_.gradients()));
  done.finite = std::isfinite(done.norm) && std::isfinite(done.sums.loss);
  if (done.finite && done.sums.tokens > 0) {
    const double clip =
        config_.clip_norm > 0 ? std::min(1.0, config_.clip_norm / std::max(done.norm, 1e-30)) : 1;
    adam(parameters_.values(), parameters_.gradients(), first_, second_,
         {.learning_rate = rate,
          .beta1 = config_.adam_beta1,
          .beta2 = config_.adam_beta2,
          .eps = config_.adam_epsilon,
          .weight_decay = config_.optimizer == Optimizer::adamw ? config_.weight_decay : 0,
          .gradient_scale = mean * clip,
          .step = ++updates_});
    // At first the average follows faster, so that it forgets the random beginning.
    const double t = static_cast<double>(updates_),
                 share = std::max(config_.exponential_smoothing, 9 / (t + 9));
    if (average_) move_average(average_, parameters_.values(), static_cast<float>(share));
  }
  parameters_.zero_gradients();
  return done;
}

std::vector<NamedTensor> Learner::tensors() {
  std::vector<NamedTensor> all{
      {"values", parameters_.values()}, {"first_moment", first_}, {"second_moment", second_}};
  if (average_) all.push_back({"average", average_});
  return all;
}

void Learner::restore(const SafeTensors& file, int64_t updates) {
  for (const NamedTensor& to : tensors()) to.tensor.copy_from(file.tensor(to.name));
  sums_ = {};
  updates_ = updates;
  parameters_.zero_gradients();
}

}  // namespace attune
