// Learner: a model with everything needed to train it: gradients, Adam's moments, a moving average of the
// weights. Each rank has one; they add different batches and keep the same weights.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "attune/parameters.h"
#include "io/safetensors.h"
#include "models/model_config.h"
#include "models/model_files.h"
#include "ranks/ranks.h"
#include "train/gradient_exchange.h"
#include "train/train_config.h"

namespace attune {

class Learner {
 public:
  Learner(const ModelConfig& config, const Words& words, const TrainConfig& train, Ranks& ranks = alone());

  const Model& model() const { return *model_; }
  Parameters& parameters() { return parameters_; }
  const Adapter* adapter() const {
    return adapter_ ? &*adapter_ : nullptr;
  }  // null: whole weights are trained

  struct Sums {
    double loss = 0, nll = 0;  // over the counted tokens
    int64_t tokens = 0, correct = 0;
    double alignment = 0;              // the loss of guided alignment, without its weight
    double squared = 0, absolute = 0;  // errors of numbers
    void operator+=(const Sums& other);
  };

  // Adds the gradient of one more batch; `random` drives its dropout. The last batch of an update starts
  // sending the gradients to the other ranks. Sums count the expected words only, not a teacher's or the
  // consistency of two passes.
  void add(const Batch& batch, const Random& random, bool last = true);

  struct Update {
    Sums sums;
    double norm = 0;     // of the mean gradient, before clipping
    bool finite = true;  // if false, nothing was changed
    GradientExchange::Seconds exchange = {};
  };
  // One step of Adam on the mean gradient over all tokens added by all ranks.
  Update update(double rate);

  // Runs `body` with the moving average in place of the weights, if there is one. The weights are restored
  // afterwards, even if it throws.
  template <class Body>
  void with_average(const Body& body) {
    if (!average_) return body();
    const WeightsComeBack come_back(parameters_.values());
    parameters_.values().copy_from(average_);
    body();
  }

  // For checkpoints: each parameter that is trained `values/NAME`, its moments `first_moment/NAME` and
  // `second_moment/NAME`, and `average/NAME`. All ranks call it, and rank 0 gets the tensors. Restoring goes
  // by these names and needs the same parameters, but not the same number of ranks; only rank 0 passes the
  // file. Different parameters are a UsageError.
  std::vector<NamedTensor> tensors();
  void restore(const SafeTensors* file, int64_t updates);
  // Replaces the weights by the mean of the values in these files.
  void average_values(std::span<const SafeTensors> files);
  // Copies rank 0's weights to all ranks.
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

  std::unique_ptr<Model> made(const ModelConfig& config, const Words& words);
  Tensor teacher_features(const Batch& batch) const;
  // The loss with a teacher and a second pass, if they are configured.
  Tensor softened(const Batch& batch, const Random& random, const Tensor& features, const Tensor& loss) const;
  bool owns(size_t part) const { return parts_.size() == 1 || static_cast<int>(part) == ranks_.rank(); }
  const FlatPart& own_part() const { return parts_.size() == 1 ? parts_[0] : exchange_.own_part(); }
  Tensor gathered(const Tensor& moment);
  void scatter(const Tensor& whole, const Tensor& moment);
  void check_fits(const SafeTensors& file) const;
  // One tensor per parameter, in the flat buffer.
  std::vector<NamedTensor> named(const char* kind, const Tensor& flat) const;
  // The flat buffer of one kind; undefined where there is no file.
  Tensor flat_from(const SafeTensors* file, const char* kind) const;

  TrainConfig config_;
  Ranks& ranks_;
  std::optional<AttentionName> guided_attention_;
  std::optional<ModelFiles> frozen_;  // the pretrained model, if some of its weights stay as they are
  std::optional<Adapter> adapter_;
  Parameters parameters_;
  std::unique_ptr<Model> model_;
  std::optional<ModelFiles> teacher_;
  GradientExchange exchange_;
  std::vector<FlatPart> parts_;      // one that every rank updates, or one for each rank
  Tensor first_, second_, average_;  // the moments cover only this rank's part
  Sums sums_;
  int64_t updates_ = 0;
};

}  // namespace attune
