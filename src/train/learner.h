// Learner: a model with what it takes to improve it: gradients, Adam's moments, a moving average of the
// weights.
#pragma once

#include <memory>
#include <vector>

#include "attune/parameters.h"
#include "io/safetensors.h"
#include "models/model_config.h"
#include "train/train_config.h"

namespace attune {

class Learner {
 public:
  Learner(const ModelConfig& config, const Words& words, const TrainConfig& train);

  const Model& model() const { return *model_; }
  Parameters& parameters() { return parameters_; }

  struct Sums {
    double loss = 0, nll = 0;  // over the counted tokens
    int64_t tokens = 0, correct = 0;
    double alignment = 0;  // the loss of guided alignment, without its weight
    void operator+=(const Sums& other);
  };

  // Adds the gradient of one more batch; `random` is that of its dropout.
  void add(const Batch& batch, const Random& random);

  struct Update {
    Sums sums;
    double norm = 0;     // of the mean gradient, before it is clipped
    bool finite = true;  // if not, nothing was changed
  };
  // One step of Adam with the mean over all tokens that were added.
  Update update(double rate);

  // Runs `body` with the moving average in place of the weights, if there is one.
  template <class Body>
  void with_average(const Body& body) {
    if (!average_) return body();
    const Tensor now = parameters_.values().clone();
    parameters_.values().copy_from(average_);
    body();
    parameters_.values().copy_from(now);
  }

  // For checkpoints: everything, by name. Restoring needs the same configuration.
  std::vector<NamedTensor> tensors();
  void restore(const SafeTensors& file, int64_t updates);

 private:
  TrainConfig config_;
  std::string guided_attention_;
  Parameters parameters_;
  std::unique_ptr<Model> model_;
  Tensor first_, second_, average_;
  Sums sums_;
  int64_t updates_ = 0;
};

}  // namespace attune
