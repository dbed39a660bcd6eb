// Ensemble: one model or several over one vocabulary, whose probabilities are averaged. EnsembleRun: a batch
// of hypotheses that they continue step by step.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "decode/next_words.h"
#include "models/model.h"

namespace attune {

class Ensemble {
 public:
  struct Member {
    const Writer* model;  // lives as long as the ensemble
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

// Which of a model's attentions counts, as in SearchOptions.
struct AttentionChoice {
  int64_t layer, head;
};

class EnsembleRun {
 public:
  // With `looking` it gives the attention to the source too.
  EnsembleRun(const Ensemble& ensemble, const Ragged& source, std::optional<AttentionChoice> looking);

  struct Step {
    NextWords words;                            // a row a token
    std::vector<std::vector<float>> attention;  // a row a token, if it was asked for
  };
  Step step(const Ragged& tokens);

  // The numbered hypotheses in that order; a number may come several times or not.
  void select(std::span<const int64_t> hypotheses);

 private:
  const Ensemble& ensemble_;
  std::optional<AttentionChoice> looking_;
  std::vector<std::unique_ptr<DecoderState>> states_;
};

}  // namespace attune
