// The RNN encoder-decoder, with and without attention.
#pragma once

#include <memory>
#include <vector>

#include "models/model.h"
#include "models/model_config.h"
#include "models/rnn/rnn_config.h"
#include "models/rnn/rnn_encoder.h"
#include "nn/attention/visibility.h"
#include "nn/input_layer.h"

namespace attune {

class RnnSeq2Seq final : public Writer {
 public:
  RnnSeq2Seq(const Scope& p, const RnnConfig& config, const Words& words);

  std::unique_ptr<DecoderState> start(const Ragged& source, Pass& pass) const override;
  Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const override;
  const Tensor& output_weight() const override { return output_weight_; }
  const Tensor& output_bias() const override { return output_bias_; }

 private:
  struct State;
  struct Steps;  // the decoder's states and contexts of all tokens

  Steps all_at_once(const Tensor& y, const Rows& rows, State& state, Pass& pass) const;
  Steps one_by_one(const Tensor& y, const Rows& rows, State& state, Pass& pass) const;
  Tensor read_out(const Tensor& seen, Pass& pass) const;
  // positions: i32 [queries], in the target. The lens is that of the pass, or one in front of it.
  Tensor attend(const Tensor& query, const State& state, const Rows& queries, const Tensor& positions,
                const Pass& pass, Lens* lens) const;
  void compare(Guide& guide, const Tensor& query, const State& state, const Rows& queries) const;

  RnnConfig config_;
  InputLayer source_;
  Embedding target_;
  RnnEncoder encoder_;
  std::vector<Linear> bridge_h_,
      bridge_c_;  // encoder's last states to decoder's first, if they do not fit
  RecurrentStack decoder_;
  std::unique_ptr<Score> score_;  // null without attention
  std::unique_ptr<Visibility> visibility_;
  Linear readout_;
  Tensor output_weight_, output_bias_;
};

}  // namespace attune
