// AttentionProbe: runs a model over one sentence and tells all that it looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decode/search/search_options.h"
#include "models/model.h"
#include "models/task.h"
#include "text/vocabulary/vocabularies.h"
#include "view/attention.h"

namespace attune {

// Whom to look at; all of it outlives the probe.
struct ProbedModel {
  const Model* model;
  std::string name, type;  // for people
  const Task& task;
  Vocabularies vocabularies;
  int64_t longest = 0;  // sentence, in tokens; 0: any
  // Of a model that writes: a source is a prompt that it answers; if not, the beginning of the text.
  bool answers = true;
};

struct ProbeOptions {
  SearchOptions search = {};
  std::optional<int64_t> head = {};  // this one alone, exactly, however long the sentence is
  int64_t candidates = 8;            // next words that are kept a step
};

class AttentionProbe {
 public:
  // A UsageError if the model has no attention.
  AttentionProbe(ProbedModel model, const ProbeOptions& options);

  // With a target the model is forced to write it; without, it writes what its search finds. A source without
  // tokens gives nothing to see, nor does an empty output. A source that is the beginning of the text is
  // written too. A model that fills masks or classifies takes no target. Throws a UsageError for a text that
  // is longer than the model can read.
  view::Attention look(const std::string& source, const std::optional<std::string>& target = {}) const;

 private:
  using Ids = std::vector<int32_t>;

  view::Attention probe_writer(const Writer& model, const std::string& source,
                               const std::optional<std::string>& target) const;
  view::Attention probe_reader(const std::string& text) const;
  bool continues() const { return probed_.task.continues_text() && !probed_.answers; }
  Ids search(const Writer& model, const std::string& source, view::Attention& seen) const;

  ProbedModel probed_;
  ProbeOptions options_;
};

}  // namespace attune
