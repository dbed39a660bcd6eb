#include "train/learner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "attune/autograd.h"
#include "attune/error.h"
#include "base/threads/parallel.h"
#include "config/rules.h"
#include "tensor/after_each.h"
#include "train/pretrained.h"
#include "train/soft_loss.h"

namespace attune {
namespace {

constexpr uint64_t kSecondPass = uint64_t{1} << 32;  // beyond the streams of the first

constexpr const char *kValues = "values", *kFirst = "first_moment", *kSecond = "second_moment",
                     *kAverage = "average";

std::optional<ModelFiles> load_teacher(const TrainConfig& train, const ModelConfig& model,
                                       const Words& words) {
  if (train.teacher.empty()) return {};
  ModelFiles teacher = load_model_files(train.teacher);
  const Task &own = model.task(), &other = teacher.config->task();
  require(&own == &other, "teacher", "{} {}, but this model {}", train.teacher, other.does(), own.does());
  require(teacher.vocabularies.source->size() == words.source &&
              teacher.vocabularies.target->size() == words.target,
          "teacher", "{} has another vocabulary than this model", train.teacher);
  const int64_t longest = teacher.config->longest();
  require(longest == 0 || longest >= train.max_length, "teacher",
          "{} reads at most {} tokens; lower max_length", train.teacher, longest);
  return teacher;
}

std::optional<ModelFiles> load_frozen(const TrainConfig& train) {
  if (train.freeze.empty() && train.lora_rank == 0) return {};
  return load_pretrained(train.pretrained_model);
}

std::optional<Adapter> adapter_of(const TrainConfig& train) {
  if (train.lora_rank == 0) return {};
  return adapter_over(load_model_files(train.pretrained_model), low_rank_of(train));
}

// average += share (values - average)
void move_average(const Tensor& average, const Tensor& values, float share) {
  parallel_for(values.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    float* to = average.data<float>();
    const float* from = values.data<float>();
    for (int64_t i = begin; i < end; ++i) to[i] += share * (from[i] - to[i]);
  });
}

// to += factor from
void add_scaled(const Tensor& to, const Tensor& from, double factor) {
  parallel_for(to.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      to.data<float>()[i] += static_cast<float>(factor) * from.data<float>()[i];
  });
}

}  // namespace

void Learner::Sums::operator+=(const Sums& other) {
  loss += other.loss;
  nll += other.nll;
  tokens += other.tokens;
  correct += other.correct;
  alignment += other.alignment;
  squared += other.squared;
  absolute += other.absolute;
}

Learner::Learner(const ModelConfig& config, const Words& words, const TrainConfig& train, Ranks& ranks)
    : config_(train),
      ranks_(ranks),
      guided_attention_(config.guided_attention()),
      frozen_(load_frozen(train)),
      adapter_(adapter_of(train)),
      parameters_(frozen_ ? frozen_weights(*frozen_, train) : ParameterSource()),
      model_(made(config, words)),
      teacher_(load_teacher(train, config, words)),
      exchange_(parameters_, ranks, train.shard_optimizer),
      parts_(divide(parameters_.values().size(), train.shard_optimizer ? ranks.size() : 1)) {
  set_precision(parameters_, chosen(train.precision));
  first_ = Tensor::zeros({own_part().size()});
  second_ = Tensor::zeros({own_part().size()});
  if (config_.exponential_smoothing > 0) average_ = parameters_.values().clone();
  parameters_.zero_gradients();
}

std::unique_ptr<Model> Learner::made(const ModelConfig& config, const Words& words) {
  const Scope plain(parameters_, Random(static_cast<uint64_t>(config_.seed)));
  auto model = config.make(adapter_ ? plain.with(adapter_->low_rank) : plain, words);
  check_patterns(config_, parameters_);
  return model;
}

void Learner::add(const Batch& batch, const Random& random, bool last) {
  Guide guide{guided_attention_, batch.links, config_.guided_alignment_cost};
  Pass pass = Pass::training(random, batch.links ? &guide : nullptr);
  const Tensor features = model_->features(batch, pass);
  const Loss result = model_->loss_of(features, batch, config_.label_smoothing);
  double nll = 0;
  for (const float x : result.nll.span<float>()) nll += x;
  sums_ += {result.loss.item(),
            nll,
            result.counted,
            result.correct,
            guide.loss ? guide.loss.item() : 0,
            result.squared,
            result.absolute};
  if (result.counted == 0) return;
  const Tensor loss = softened(batch, random, features, result.loss);
  AfterEach after_each;
  if (last && !ranks_.alone()) after_each = [this](auto gradients) { exchange_.done(gradients); };
  backward(guide.loss ? attune::add(loss, scale(guide.loss, config_.guided_alignment_weight)) : loss, 1,
           after_each);
}

Tensor Learner::teacher_features(const Batch& batch) const {
  const NoGrad no_grad;
  Pass pass;
  return teacher_->model->features(batch, pass);
}

Tensor Learner::softened(const Batch& batch, const Random& random, const Tensor& features,
                         const Tensor& loss) const {
  Tensor all = loss;
  if (config_.consistency > 0) {
    Pass pass = Pass::training(random.stream(kSecondPass));
    const Tensor again = model_->features(batch, pass);
    const Tensor apart =
        consistency_loss(OutputLayer::of(*model_, features), OutputLayer::of(*model_, again), batch.expected);
    all = attune::add(
        scale(attune::add(loss, model_->loss_of(again, batch, config_.label_smoothing).loss), 0.5),
        scale(apart, config_.consistency));
  }
  if (!teacher_) return all;
  const Tensor of_teacher =
      distillation_loss(OutputLayer::of(*model_, features),
                        OutputLayer::of(*teacher_->model, teacher_features(batch)), batch.expected);
  return attune::add(scale(all, 1 - config_.teacher_weight), scale(of_teacher, config_.teacher_weight));
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
                  squared_norm(exchange_.own_part().of(parameters_.gradients())),
                  done.sums.squared,
                  done.sums.absolute};
  ranks_.sum(all);
  done.sums = {all[0], all[1], static_cast<int64_t>(all[2]), static_cast<int64_t>(all[3]), all[4],
               all[6], all[7]};
  const double mean = 1.0 / std::max(all[2], 1.0);
  done.norm = mean * std::sqrt(all[5]);
  done.finite = std::isfinite(done.norm) && std::isfinite(done.sums.loss);
  if (done.finite && done.sums.tokens > 0) {
    const double clip =
        config_.clip_norm > 0 ? std::min(1.0, config_.clip_norm / std::max(done.norm, 1e-30)) : 1;
    const FlatPart& part = own_part();
    if (config_.l2 > 0)
      add_scaled(part.of(parameters_.gradients()), part.of(parameters_.values()), config_.l2 / (mean * clip));
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
    // At first the average follows faster, so that it forgets the random initial weights.
    const double t = static_cast<double>(updates_),
                 share = std::max(config_.exponential_smoothing, 9 / (t + 9));
    if (average_) move_average(average_, parameters_.values(), static_cast<float>(share));
  }
  parameters_.zero_gradients();
  return done;
}

// Gathers the moments of all parts at rank 0; the other ranks send theirs and get nothing.
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

// The reverse: rank 0 has all moments and hands out the parts.
void Learner::scatter(const Tensor& whole, const Tensor& moment) {
  for (size_t owner = 0; owner < parts_.size(); ++owner) {
    const Tensor place = owns(owner) ? moment : Tensor({parts_[owner].size()});
    if (whole) place.copy_from(parts_[owner].of(whole));
    ranks_.start_broadcast(place.span<float>());
    ranks_.wait();
  }
}

std::vector<NamedTensor> Learner::named(const char* kind, const Tensor& flat) const {
  std::vector<NamedTensor> all;
  for (const Parameters::Entry& entry : parameters_.entries())
    if (const auto& [name, tensor, offset] = entry; entry.trained())
      all.push_back({fmt::format("{}/{}", kind, name),
                     flat.view_rows(offset, offset + tensor.size()).view(tensor.shape())});
  return all;
}

std::vector<NamedTensor> Learner::tensors() {
  std::vector<NamedTensor> all;
  for (const auto& [kind, flat] : {NamedTensor{kValues, parameters_.values()},
                                   {kFirst, gathered(first_)},
                                   {kSecond, gathered(second_)},
                                   {kAverage, average_}})
    if (flat) std::ranges::move(named(kind.c_str(), flat), std::back_inserter(all));
  return all;
}

void Learner::check_fits(const SafeTensors& file) const {
  if (file.tensors().contains(kValues))
    throw UsageError(fmt::format(
        "{}: this checkpoint comes from an older attune that did not store parameter names, so it cannot be "
        "continued; start over (--overwrite), or start a new run from a model of this one (pretrained_model)",
        file.path().string()));
  std::vector<std::string> kinds{kValues, kFirst, kSecond}, differences;
  if (average_) kinds.emplace_back(kAverage);
  size_t known = 0;
  for (const std::string& kind : kinds)
    for (const Parameters::Entry& entry : parameters_.entries()) {
      const auto& [name, tensor, offset] = entry;
      if (!entry.trained()) continue;
      const auto found = file.tensors().find(kind + "/" + name);
      if (found == file.tensors().end())
        differences.push_back(fmt::format("'{}/{}' is missing", kind, name));
      else if (found->second.shape != tensor.shape())
        differences.push_back(fmt::format("'{}/{}' has shape {}, but the model expects {}", kind, name,
                                          found->second.shape.str(), tensor.shape().str()));
      known += found != file.tensors().end() ? 1 : 0;
    }
  if (known < file.tensors().size())
    differences.push_back(
        fmt::format("{} tensors are not parameters of this model", file.tensors().size() - known));
  if (differences.empty()) return;
  constexpr size_t kShown = 5;
  std::string text = file.path().string() + ": this checkpoint belongs to a different model:";
  for (size_t i = 0; i < differences.size() && i < kShown; ++i) text += "\n  " + differences[i];
  if (differences.size() > kShown) text += fmt::format("\n  and {} more", differences.size() - kShown);
  throw UsageError(text +
                   "\nRestore the configuration that the run was started with, train in another folder "
                   "(model), or start over (--overwrite)");
}

Tensor Learner::flat_from(const SafeTensors* file, const char* kind) const {
  if (file == nullptr) return {};
  int64_t size = 0;
  for (const FlatPart& part : parts_) size += part.size();
  const Tensor flat = Tensor::zeros({size});
  for (const NamedTensor& one : named(kind, flat)) one.tensor.copy_from(file->tensor(one.name));
  return flat;
}

void Learner::restore(const SafeTensors* file, int64_t updates) {
  if (file != nullptr) check_fits(*file);
  scatter(flat_from(file, kFirst), first_);
  scatter(flat_from(file, kSecond), second_);
  for (const NamedTensor& whole : {NamedTensor{kValues, parameters_.values()}, {kAverage, average_}}) {
    if (!whole.tensor) continue;
    if (file != nullptr) whole.tensor.copy_from(flat_from(file, whole.name.c_str()));
    ranks_.start_broadcast(whole.tensor.span<float>());
  }
  ranks_.wait();
  sums_ = {};
  updates_ = updates;
  parameters_.zero_gradients();
}

void Learner::average_values(std::span<const SafeTensors> files) {
  const auto share = 1 / static_cast<float>(files.size());
  const auto values = parameters_.values().span<float>();
  if (!files.empty()) std::ranges::fill(values, 0.0f);
  for (const SafeTensors& file : files) {
    const Tensor one = flat_from(&file, kValues);
    for (size_t i = 0; i < values.size(); ++i) values[i] += share * one.span<float>()[i];
  }
}

void Learner::share_values() {
  ranks_.start_broadcast(parameters_.values().span<float>());
  ranks_.wait();
}

}  // namespace attune
