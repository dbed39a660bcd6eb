// Onlooker: runs a model over one sentence and tells all that it looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decode/options.h"
#include "models/model.h"
#include "models/task_kind.h"
#include "text/vocabularies.h"
#include "view/attention.h"

namespace attune {

// Whom to look at; all of it outlives the onlooker.
struct Subject {
  const Model* model;
  std::string name, type;  // for people
  TaskKind task = TaskKind::translate;
  Vocabularies vocabularies;
  int64_t longest = 0;  // sentence, in tokens; 0: any
  // Of a model that writes: a source is a prompt that it answers; if not, the beginning of the text.
  bool answers = true;
};

struct LookOptions {
  SearchOptions search = {};
  std::optional<int64_t> head = {};  // this one alone, exactly, however long the sentence is
  int64_t candidates = 8;            // next words that are kept a step
};

class Onlooker {
 public:
  // A UsageError if the model has no attention.
  Onlooker(Subject subject, const LookOptions& options);

  // With a target the model is forced to write it; without, it writes what its search finds. A source without
  // tokens gives nothing to see, nor does an empty output. A source that is the beginning of the text is
  // written too. A model that fills masks or classifies takes no target. Throws a UsageError for a text that
  // is longer than the model can read.
  view::Attention look(const std::string& source, const std::optional<std::string>& target = {}) const;

 private:
  using Ids = std::vector<int32_t>;

  view::Attention look_at_writer(const Writer& model, const std::string& source,
                                 const std::optional<std::string>& target) const;
  view::Attention look_at_reader(const std::string& text) const;
  bool continues() const { return subject_.task == TaskKind::write && !subject_.answers; }
  Ids search(const Writer& model, const std::string& source, view::Attention& seen) const;

  Subject subject_;
  LookOptions options_;
};

}  // namespace attune
