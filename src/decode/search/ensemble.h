// Ensemble: one or several models over one vocabulary, whose probabilities are averaged. EnsembleRun: a batch
// of hypotheses that they continue step by step.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "decode/word_choice/next_words.h"
#include "decode/word_choice/word_lists.h"
#include "models/model.h"
#include "ops/product/linear_rows.h"

namespace attune {

class Ensemble {
 public:
  struct Member {
    const Writer* model;  // must outlive the ensemble
    double weight = 1;
  };

  explicit Ensemble(std::vector<Member> members);
  explicit Ensemble(const Writer& model) : Ensemble({{&model}}) {}

  const std::vector<Member>& members() const { return members_; }  // weights sum to 1
  int64_t words() const { return members_[0].model->output_weight().rows(); }
  int64_t room(int64_t source_words) const;  // how many words all of them can write

 private:
  std::vector<Member> members_;
};

// Which of a model's attentions to use, as in SearchOptions.
struct AttentionChoice {
  int64_t layer, head;
};

class EnsembleRun {
 public:
  // With `looking`, it also returns the attention to the source. `lists`: the words that each sentence may
  // write, if not all.
  EnsembleRun(const Ensemble& ensemble, const Ragged& source, std::optional<AttentionChoice> looking,
              std::optional<WordLists> lists = {});

  struct Step {
    NextWords words;                            // one row per token; refers to the run's lists
    std::vector<std::vector<float>> attention;  // one row per token, if requested
  };
  Step step(const Ragged& tokens);

  // Keeps the numbered hypotheses, in that order; a number may appear several times or not at all.
  void select(std::span<const int64_t> hypotheses);

 private:
  const Ensemble& ensemble_;
  std::optional<AttentionChoice> looking_;
  std::vector<std::unique_ptr<DecoderState>> states_;
  std::optional<WordLists> lists_;
  std::vector<LinearRows> outputs_;  // of each model, for the words of all lists
  std::vector<int64_t> sentences_;   // of each hypothesis
};

}  // namespace attune
