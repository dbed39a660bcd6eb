// The plain recurrent network:  h_t = f(x_t, h_{t-1}),  y_t = g(h_t).  In a language model, y_t is the next
// word; in a tagger, which reads words of one vocabulary and answers with those of another, it is the tag of
// x_t, and may read the text in both directions.
#pragma once

#include <optional>

#include "models/model.h"
#include "models/model_config.h"
#include "models/rnn/rnn_config.h"
#include "models/rnn/rnn_encoder.h"
#include "nn/recurrent_stack.h"

namespace attune {

struct RnnLmConfig {
  Cell cell = Cell::lstm;
  int64_t embedding = 256, hidden = 512, layers = 1;
  double dropout = 0.1;
  bool residual = false, tied_output = false, tagger = false, bidirectional = false;

  static void fields(FieldsOf<RnnLmConfig> f);
  void validate() const;
  static Entries of_size(Size size);
  const Task& model_task() const { return tagger ? tag_task() : write_task(); }
  int64_t width() const { return hidden; }
  int64_t longest() const { return 0; }
};

class RnnLm final : public Writer {
 public:
  RnnLm(const Scope& p, const RnnLmConfig& config, const Words& words);

  std::unique_ptr<DecoderState> start(const Ragged& prompt, Pass& pass) const override;
  Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const override;
  const Tensor& output_weight() const override { return output_weight_; }
  const Tensor& output_bias() const override { return output_bias_; }

 private:
  double dropout_;
  Embedding words_;
  RecurrentStack layers_;
  std::optional<RnnEncoder> both_ways_;  // in place of layers_
  Tensor output_weight_, output_bias_;
};

}  // namespace attune
