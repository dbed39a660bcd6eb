// Display: shows the progress of a comparison: which of how many models it is working on, and how long it
// takes.
#pragma once

#include <string>
#include <vector>

#include "train/trainer.h"

namespace attune::compare {

// A line that is redrawn on a terminal; elsewhere, one line for each step of a model.
class Display final : public TrainWatcher {
 public:
  explicit Display(size_t models);
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;
  ~Display() override;

  void model(const std::string& name);                 // starts the next one
  void step(const std::string& what);                  // "training"; "translating test2016"
  void done(const std::string& what, double seconds);  // finishes the model, which took this long
  void note(const std::string& text);                  // on a line of its own

  void updated(const TrainState& state, double share) override;
  void validated(const Progress& progress, const Validation& validation) override;
  void share(double done);  // progress of a step other than training

 private:
  std::string prefix() const;
  void draw(double share, const std::string& more);
  void clear() const;

  bool terminal_;
  size_t models_, number_ = 0;
  std::string name_, step_, learned_;
  std::vector<double> seconds_;  // of the models that had work to do
  double drawn_ = 0;
};

}  // namespace attune::compare
