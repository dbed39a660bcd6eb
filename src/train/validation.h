// Validation: measures a model on text that it was not trained on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/task.h"
#include "text/corpus/corpus.h"
#include "train/learner.h"

namespace attune {

bool higher_is_better(const std::string& metric);

struct Validation {
  struct Value {
    std::string metric;
    double value;
  };
  struct Sample {
    std::string source, reference, output;
  };
  std::vector<Value> values;  // in the order of the metrics
  std::vector<Sample> samples;
};

class Validator {
 public:
  Validator(const TrainConfig& config, const ModelConfig& model, const Vocabularies& vocabularies,
            Ranks& ranks = alone());

  const std::vector<std::string>& metrics() const { return metrics_; }
  const Corpus& corpus() const { return corpus_; }
  const std::string& choice() const { return choice_; }  // of what the configuration leaves open, for the log
  // All ranks share the work and get the same result.
  Validation operator()(const Model& model) const;

 private:
  Learner::Sums forced(const Model& model) const;              // teacher forcing over the whole set
  std::vector<std::string> written(const Model& model) const;  // its outputs for the sources
  double of_outputs(const std::string& metric, const std::vector<std::string>& outputs) const;

  TrainConfig config_;
  const ModelConfig& model_config_;
  const Vocabularies& vocabularies_;
  const Task& task_;
  Ranks& ranks_;
  int64_t longest_, longest_side_;
  std::vector<std::string> metrics_;
  std::string choice_;
  Corpus corpus_;
  std::vector<std::string> sources_, references_;  // only if outputs are needed
};

}  // namespace attune
