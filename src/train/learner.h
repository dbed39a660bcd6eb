// Learner: a model with what it takes to improve it: gradients, Adam's moments, a moving average of the
// weights. With several ranks each has one; they add different batches and stay alike.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "attune/parameters.h"
#include "io/safetensors.h"
#include "models/model_config.h"
#include "ranks/ranks.h"
#include "train/gradient_exchange.h"
#include "train/train_config.h"

namespace attune {

class Learner {
 public:
  Learner(const ModelConfig& config, const Words& words, const TrainConfig& train, Ranks& ranks = alone());

  const Model& model() const { return *model_; }
  Parameters& parameters() { return parameters_; }

  struct Sums {
    double loss = 0, nll = 0;  // over the counted tokens
    int64_t tokens = 0, correct = 0;
    double alignment = 0;  // the loss of guided alignment, without its weight
    void operator+=(const Sums& other);
  };

  // Adds the gradient of one more batch; `random` is that of its dropout. With the last one of an update the
  // gradients begin to go to the other ranks.
  void add(const Batch& batch, const Random& random, bool last = true);

  struct Update {
    Sums sums;
    double norm = 0;     // of the mean gradient, before it is clipped
    bool finite = true;  // if not, nothing was changed
    GradientExchange::Seconds exchange = {};
  };
  // One step of Adam with the mean over all tokens that were added, by all ranks.
  Update update(double rate);

  // Runs `body` with the moving average in place of the weights, if there is one. The weights come back, also
  // when it throws.
  template <class Body>
  void with_average(const Body& body) {
    if (!average_) return body();
    const WeightsComeBack come_back(parameters_.values());
    parameters_.values().copy_from(average_);
    body();
  }

  // For checkpoints: each parameter `values/NAME`, its moments `first_moment/NAME` and `second_moment/NAME`,
  // and `average/NAME`. All ranks call it, and rank 0 gets them. Restoring goes by these names and needs the
  // same parameters, but not the same ranks; rank 0 alone gives the file. Others are a UsageError.
  std::vector<NamedTensor> tensors();
  void restore(const SafeTensors* file, int64_t updates);
  // Puts the mean of the values in these files in place of the weights.
  void average_values(std::span<const SafeTensors> files);
  // Rank 0's weights, for all.
  void share_values();

 private:
  class WeightsComeBack {
   public:
    explicit WeightsComeBack(const Tensor& values) : values_(values), now_(values.clone()) {}
    ~WeightsComeBack() { values_.copy_from(now_); }
    WeightsComeBack(const WeightsComeBack&) = delete;
    WeightsComeBack& operator=(const WeightsComeBack&) = delete;

   private:
    Tensor values_, now_;
  };

  bool owns(size_t part) const { return parts_.size() == 1 || static_cast<int>(part) == ranks_.rank(); }
  const FlatPart& own_part() const { return parts_.size() == 1 ? parts_[0] : exchange_.own_part(); }
  Tensor gathered(const Tensor& moment);
  void scatter(const Tensor& whole, const Tensor& moment);
  void check_fits(const SafeTensors& file) const;
  // One tensor a parameter, in the flat buffer.
  std::vector<NamedTensor> named(const char* kind, const Tensor& flat) const;
  // The flat buffer of a kind; undefined where there is no file.
  Tensor flat_from(const SafeTensors* file, const char* kind) const;

  TrainConfig config_;
  Ranks& ranks_;
  std::optional<AttentionName> guided_attention_;
  Parameters parameters_;
  std::unique_ptr<Model> model_;
  GradientExchange exchange_;
  std::vector<FlatPart> parts_;      // one that every rank updates, or one for each rank
  Tensor first_, second_, average_;  // the moments are those of the own part
  Sums sums_;
  int64_t updates_ = 0;
};

}  // namespace attune
