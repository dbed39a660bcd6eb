// ValidationLog: a record of each validation for the page of a run (validations.jsonl): its samples, and the
// attention of one sentence.
#pragma once

#include <optional>

#include "io/json_lines.h"
#include "look/attention_probe.h"
#include "train/train_config.h"
#include "train/validation.h"

namespace attune {

class ValidationLog {
 public:
  // Continues the file after its first `bytes`. A UsageError if attend_sentence cannot be used. `columns` has
  // the text that the model learns from.
  ValidationLog(const RunConfig& config, const Vocabularies& vocabularies, size_t columns, const Model& model,
                int64_t bytes);

  void append(int64_t update, const Validation& validation);
  void sync() const { file_.sync(); }
  int64_t bytes() const { return file_.bytes(); }

 private:
  std::string attention() const;

  std::optional<AttentionProbe> probe_;
  std::string source_;
  std::optional<std::string> target_;
  JsonLines file_;
};

}  // namespace attune
