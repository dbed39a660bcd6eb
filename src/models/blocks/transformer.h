// The Transformer encoder-decoder (Vaswani et al. 2017).
#pragma once

#include "models/blocks/block_stack.h"
#include "models/model.h"
#include "models/model_config.h"
#include "nn/input_layer.h"

namespace attune {

struct TransformerConfig : BlockConfig {
  int64_t encoder_layers = 6, decoder_layers = 6;
  std::string cross_visibility = "full";
  bool tied_embeddings = true, tied_output = true;
  bool source_end = true, zero_start = false, embedding_norm = false, step_norm = true;
  int64_t decoder_feed_forward = 0, decoder_feed_forward_layers = 0;

  static void fields(FieldsOf<TransformerConfig> f);
  void validate() const;
  static Entries of_size(Size size);
  const Task& model_task() const { return translate_task(); }
  // Of the second-to-last layer, which aligns best (Garg et al. 2019) and is shown with translations.
  AttentionName guided_attention() const;
  BlockConfig decoder() const;
};

class Transformer final : public Writer {
 public:
  Transformer(const Scope& p, const TransformerConfig& config, const Words& words);

  std::unique_ptr<DecoderState> start(const Ragged& source, Pass& pass) const override;
  Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const override;
  int64_t room(int64_t) const override { return decoder_.longest(); }
  const Tensor& output_weight() const override { return output_weight_; }
  const Tensor& output_bias() const override { return output_bias_; }

 private:
  bool source_end_, zero_start_;
  double embedding_scale_;
  InputLayer source_;
  Embedding target_;
  BlockStack encoder_, decoder_;
  Tensor output_weight_, output_bias_;
};

}  // namespace attune
