// Results: everything that a comparison found, as stored in results.json. Tables and the report are made from
// it alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace attune::compare {

// Values of one metric on the validation set during training.
struct Curve {
  std::string metric;
  std::vector<double> updates, seconds, values;
};

struct Training {
  int64_t parameters = 0, updates = 0, epochs = 0, tokens = 0;
  double seconds = 0;
  int64_t peak_memory = 0;
  std::vector<Curve> curves;

  double tokens_per_second() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }
};

// How a run ended, and which of its models is compared.
struct Outcome {
  bool stopped_early = false;  // by early_stopping, before the budget was used up
  std::string rule;            // "best bleu", "last"
  int64_t updates = 0;         // of the compared model
  double epochs = 0;
};

// A model's outputs for a test set.
struct Decoding {
  std::vector<std::string> outputs;
  double seconds = 0;
  int64_t tokens = 0, peak_memory = 0;

  double sentences_per_second() const {
    return seconds > 0 ? static_cast<double>(outputs.size()) / seconds : 0;
  }
  double tokens_per_second() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }
};

// A model's attention while it translated a sentence. No weights: the model has no attention.
struct Look {
  std::string output;
  std::vector<std::string> sources, targets;
  std::vector<std::vector<float>> weights;
};

// How well one way of reading alignments from a model agrees with the gold, in percent.
struct Alignment {
  std::string way;  // "attention", "best head: layer 2, head 1", "mean of the heads of layer 1"
  double aer = 0, precision = 0, recall = 0;
};

// Of a model on a test set; with several seeds, the mean over its runs.
struct Score {
  double value = 0, low = 0, high = 0;  // low, high: bounds of the middle 95% of resampled test sets
  double deviation = 0;                 // standard deviation over the runs; 0 for one run
  double p_value = 1;                   // of the difference from the model before; 1 for the first
};

struct TestResult {
  std::vector<Score> scores;      // one per metric
  std::vector<double> by_length;  // the first metric, one per group; the mean over the runs
};

// One training of a model, and what came of it.
struct RunResult {
  int64_t seed = 1;
  Training training;
  Outcome outcome;
  std::vector<Decoding> decodings;                 // one per test set
  std::vector<Look> looks;                         // one per sentence
  std::vector<std::vector<Alignment>> alignments;  // one per gold set; empty: no attention
};

struct ModelResult {
  std::string name, about, changes, type;
  std::vector<RunResult> runs;    // one per seed
  std::vector<TestResult> tests;  // one per test set

  const RunResult& first() const { return runs.front(); }
};

struct LengthGroup {
  std::string label;  // "11–15"
  int64_t sentences = 0;
};

struct TestInfo {
  std::string name;
  int64_t sentences = 0;
  std::vector<LengthGroup> groups;
};

struct MetricInfo {
  std::string name, signature;
  bool higher_is_better = true;
};

struct Sample {
  std::string source, reference;
  int64_t line = 0;  // of the first test set, from 0: outputs[line] of each model
};

struct Results {
  int64_t format = 2;
  std::string title, text, budget, length_unit, made;  // made: when, by which version, on which processor
  bool length_unit_suits = false;                      // chosen by the script of the sources
  std::vector<MetricInfo> metrics;
  std::vector<TestInfo> tests;
  std::vector<std::string> golds, looked_at;
  std::vector<Sample> samples;
  std::vector<ModelResult> models;
};

// Reading any other file is a UsageError; writing numbers that are not finite is an Error.
Results read_results(const std::filesystem::path& path);
void write_results(const std::filesystem::path& path, const Results& results);

}  // namespace attune::compare
