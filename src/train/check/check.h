// Checks a run before hours are spent on it: its files, its vocabularies, its size and its speed. One problem
// does not hide others, and nothing is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/corpus/checks.h"
#include "train/check/check_examples.h"
#include "train/check/finding.h"
#include "train/check/measure_speed.h"
#include "train/plan/plan.h"

namespace attune {

struct DataReport {
  std::vector<CheckedColumn> columns;
  int64_t lines = 0;  // complete in all columns
  ExampleReport examples;
};

// Lines of the validation files that are also in the training files.
struct Duplicates {
  SharedLines rows;    // in all columns
  SharedLines inputs;  // in the first
};

struct VocabularyReport {
  enum class Origin : uint8_t { pretrained, file, made };
  Origin origin;
  std::string path;
  VocabularyKind kind;
  int64_t size;
  bool labels;
  Coverage training, validation;  // of a sample of the lines
};

struct MemoryReport {
  int64_t learner = 0;                              // bytes of values, gradients, moments and averages
  std::optional<int64_t> predicted = std::nullopt;  // of the whole process
  int64_t machine = 0;
};

// From the speed that was measured with one size, and what the plan says of the others.
struct SizeReport {
  Size size;
  bool chosen;
  int64_t parameters;
  double tokens_per_second, epoch;  // target tokens; seconds
};

struct CheckReport {
  Findings findings;
  DataReport training, validation;
  std::optional<Duplicates> duplicates;
  std::vector<VocabularyReport> vocabularies;
  std::string type;
  std::string choice;             // of what the configuration leaves open, and why
  std::vector<SizeReport> sizes;  // that could be chosen
  int64_t parameters = 0;
  MemoryReport memory;
  int threads = 1;
  std::optional<Speed> speed;
  std::optional<TrainingTime> time;

  int64_t count(Severity severity) const;
  bool can_start() const { return count(Severity::error) == 0; }
};

// Trains for about `seconds` to measure the speed; 0: does not train.
CheckReport check_run(RunConfig& config, double seconds);

}  // namespace attune
