// Validation: measures a model on text that it was not trained on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decode/search/search_options.h"
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
  struct Other {
    std::string set;
    std::vector<Value> values;
  };
  // In the order of the metrics: of the first set, or the mean over the sets of several directions.
  std::vector<Value> values;
  std::string set;  // the name of that set, or "mean"
  std::vector<Sample> samples;
  std::vector<Other> others = {};  // also the first if `values` are means

  std::vector<std::string> other_lines() const;  // "dev2: bleu 28.1, chrf 50.2"
  std::vector<std::string> scores() const;       // of all sets: "bleu 28.1 dev2"
};

// One of valid_sets: files whose lines belong together.
struct ValidationSet {
  std::string name;
  Corpus corpus;
  Vocabularies vocabularies;                               // for its direction
  std::shared_ptr<const ExampleSource> examples = {};      // for the sums of teacher forcing
  std::vector<std::string> sources = {}, references = {};  // only if outputs are compared
  std::string tokenize = {};                               // BLEU's tokeniser
};

class Validator {
 public:
  Validator(const TrainConfig& config, const ModelConfig& model, const Vocabularies& vocabularies,
            Ranks& ranks = alone());

  const std::vector<std::string>& metrics() const { return metrics_; }
  std::vector<const Corpus*> corpora() const;
  const std::string& choice() const { return choice_; }  // of what the configuration leaves open, for the log
  // All ranks share the work and get the same result.
  Validation operator()(const Model& model) const;

 private:
  void prepare_outputs(ValidationSet& set);
  Learner::Sums forced(const Model& model, const ValidationSet& set) const;  // teacher forcing
  std::vector<std::string> tagged(const Model& model, const ValidationSet& set) const;
  std::vector<std::string> written(const Model& model, const ValidationSet& set) const;
  std::vector<Validation::Value> values(const Model& model, const ValidationSet& set,
                                        std::vector<std::string>& outputs) const;

  TrainConfig config_;
  const ModelConfig& model_config_;
  const Vocabularies& vocabularies_;
  const Task& task_;
  Ranks& ranks_;
  int64_t longest_, longest_side_;
  std::vector<std::string> metrics_;
  std::string choice_;
  SearchOptions search_;             // greedy or a beam; the rest as the pretrained model has it
  bool directed_;                    // the model has directions: all sets decide which model is the best
  std::vector<ValidationSet> sets_;  // otherwise the first does
};

}  // namespace attune
