// Display: what a comparison tells its user while it runs: which model it is at, which of how many, how long
// it takes.
#pragma once

#include <string>
#include <vector>

#include "train/trainer.h"

namespace attune::compare {

// A line that is redrawn on a terminal; elsewhere a line for each step of a model.
class Display final : public TrainWatcher {
 public:
  explicit Display(size_t models);
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;
  ~Display() override;

  void model(const std::string& name);                 // the next one begins
  void step(const std::string& what);                  // "training"; "translating test2016"
  void done(const std::string& what, double seconds);  // with the model, which took so long
  void note(const std::string& text);                  // a line of its own

  void updated(const Progress& progress, double share) override;
  void validated(const Progress& progress, const Validation& validation) override;
  void share(double done);  // of a step that is no training

 private:
  std::string prefix() const;
  void draw(double share, const std::string& more);
  void clear() const;

  bool terminal_;
  size_t models_, number_ = 0;
  std::string name_, step_, learned_;
  std::vector<double> seconds_;  // of the models that had something to do
  double drawn_ = 0;
};

}  // namespace attune::compare
