// The RNN encoder-decoder of Nematus and Marian (Sennrich et al. 2017): a conditional cell, which looks at
// the source between its two transitions, deep transitions (Miceli Barone et al. 2017) and layer norm.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/model.h"
#include "models/model_config.h"
#include "models/rnn/cell_stack.h"
#include "models/rnn/deep_rnn_config.h"

namespace attune {

class DeepRnn final : public Writer {
 public:
  DeepRnn(const Scope& p, const DeepRnnConfig& config, const Words& words);

  std::unique_ptr<DecoderState> start(const Ragged& source, Pass& pass) const override;
  Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const override;
  const Tensor& output_weight() const override { return output_weight_; }
  const Tensor& output_bias() const override { return output_bias_; }

 private:
  struct State;
  // Of one step, or of all: the top layer's states, the contexts, and the queries that found them.
  struct Steps {
    Tensor s, context, query;
  };

  Tensor encode(const Tensor& x, const Rows& rows, Pass& pass) const;
  struct Looking {
    Rows queries;
    Tensor positions;  // i32 [queries], in the target
    Lens* lens;
  };
  Steps one_step(const Tensor& a, State& state, const Looking& looking, Pass& pass) const;
  Steps all_steps(const Tensor& a, const Rows& rows, State& state, Pass& pass) const;

  DeepRnnConfig config_;
  Embedding source_, target_;
  CellStack forward_, backward_;
  std::optional<CellStack> upper_encoder_;
  NormedLinear start_, query_, key_;
  Tensor v_;
  std::vector<TransitionCell> base_;                // the decoder's first layer
  std::vector<std::vector<TransitionCell>> upper_;  // its other layers
  NormedLinear from_word_, from_state_, from_context_;
  Tensor output_weight_, output_bias_;
};

}  // namespace attune
