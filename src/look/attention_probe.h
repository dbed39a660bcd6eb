// AttentionProbe: runs a model over one sentence and tells all that it looked at.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/search/search_options.h"
#include "decode/text_model.h"
#include "view/attention.h"

namespace attune {

struct ProbeOptions {
  std::string name = {};  // of the model, for people; empty: its own
  SearchOptions search = {};
  std::optional<int64_t> head = {};  // this one alone, exactly, however long the sentence is
  int64_t candidates = 8;            // next words that are kept a step
};

class AttentionProbe {
 public:
  // A UsageError if the model has no attention, or there are several.
  AttentionProbe(std::shared_ptr<const TextModel> model, ProbeOptions options);

  // With a target the model is forced to write it; without, it writes what its search finds. A source without
  // tokens gives nothing to see, nor does an empty output. A source that is the beginning of the text is
  // written too. A model that fills masks or classifies takes no target. Throws a UsageError for a text that
  // is longer than the model can read.
  view::Attention look(const std::string& source, const std::optional<std::string>& target = {}) const;

 private:
  using Ids = std::vector<int32_t>;

  view::Attention probe_writer(const std::string& source, const std::optional<std::string>& target) const;
  view::Attention probe_reader(const std::string& text) const;
  Ids search(const std::string& source, view::Attention& seen) const;
  const Model& network() const { return *model_->models()[0].model; }

  std::shared_ptr<const TextModel> model_;
  ProbeOptions options_;
};

}  // namespace attune
