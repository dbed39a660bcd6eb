// Task: how lines of text become examples, and examples a batch for a model.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/model.h"
#include "models/task_kind.h"
#include "text/corpus/example.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

// Columns that a line should have.
struct TaskColumns {
  size_t fewest, most;
  std::string text() const;  // "2", "1 or 2"
};
TaskColumns task_columns(TaskKind kind);

class Task {
 public:
  virtual ~Task() = default;

  // The sides of an example; see MakeExample.
  virtual std::vector<TokenIds> example(const CorpusLine& line) const = 0;
  virtual Batch batch(const Examples& examples) const = 0;
};

// translate:  source </s>  ->  target </s>
// write:      text </s>; or with two columns prompt <s> answer </s>, where the answer counts
// tag:        tokens  ->  as many tags
// fill:       [CLS] text [SEP] (text [SEP])  with tokens masked
// classify:   [CLS] text [SEP] (text [SEP])  ->  class, in the last column
std::unique_ptr<Task> make_task(TaskKind kind, const Vocabularies& vocabularies);

// [CLS] first [SEP] second [SEP], and which of the two a token belongs to. Nothing if one of them is empty.
struct JoinedTexts {
  TokenIds ids, segments;
};
JoinedTexts joined_texts(const Vocabulary& vocabulary, std::span<const std::string> texts);

// Symbols that a vocabulary for the task must have.
std::span<const std::string> task_symbols(TaskKind kind);

// That side of all examples.
Ragged side(const Examples& examples, size_t number);

}  // namespace attune
