// A quiet view of a training run: one line that shows how far it is and how good it has become.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/trainer.h"

namespace attune::demo {

class CalmProgress final : public TrainWatcher {
 public:
  // `metric` is a metric of the run with values between 0 and 100.
  CalmProgress(std::string name, std::string metric);
  ~CalmProgress() override;

  void started(int64_t parameters) override { parameters_ = parameters; }
  void updated(const TrainState& state, double share) override;
  void validated(const Progress& progress, const Validation& validation) override;

  void clear() const;  // the line

  int64_t parameters() const { return parameters_; }
  double seconds() const { return seconds_; }
  const std::vector<double>& values() const { return values_; }                // of the metric
  const std::vector<Validation>& validations() const { return validations_; }  // all of them

 private:
  void draw();

  std::string name_, metric_;
  bool terminal_;
  int64_t parameters_ = 0;
  double seconds_ = 0, share_ = 0, drawn_ = -1;
  std::vector<double> values_;
  std::vector<Validation> validations_;
};

}  // namespace attune::demo
