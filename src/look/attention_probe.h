// AttentionProbe: runs a model over one sentence and records all its attention.
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
  std::string name = {};  // of the model, for messages; empty: its own
  SearchOptions search = {};
  std::optional<int64_t> head = {};  // only this one, exactly, however long the sentence is
  int64_t candidates = 8;            // next words to keep for each step
  // Also what weights were computed from, the states of all layers, gates, what each layer would write; and
  // of one head the matrices, of the sharpest one among those that are chosen.
  bool numbers = false;
  view::AttentionChoice matrices = {};
  bool gradients = false;              // also gradient x input
  std::string begin = {};              // what the result of the search has to begin with
  view::PositionTable positions = {};  // of the model, if they are known
};

class AttentionProbe {
 public:
  // A UsageError if the model has no attention, or there are several.
  AttentionProbe(std::shared_ptr<const TextModel> model, ProbeOptions options);

  // With a target the model is forced to write it; otherwise it writes what its search finds. A source
  // without tokens, or an empty output, gives an empty result. A source that is the beginning of the text is
  // written too. A model that fills masks or classifies takes no target, but a second text in its place, and
  // one that answers questions takes the passage. A text that is longer than the model can read is a
  // UsageError.
  view::Attention look(const std::string& source, const std::optional<std::string>& target = {}) const;

 private:
  using Ids = std::vector<int32_t>;

  struct Seen {
    view::Attention attention = {};
    Ids read = {}, written = {};  // of a model that writes
  };
  Seen probe_writer(const std::string& source, const std::optional<std::string>& target) const;
  view::Attention probe_reader(const std::string& text, const std::optional<std::string>& second) const;
  Ids search(const std::string& source, view::Attention& seen) const;
  const Model& network() const { return *model_->models()[0].model; }

  std::shared_ptr<const TextModel> model_;
  ProbeOptions options_;
};

}  // namespace attune
