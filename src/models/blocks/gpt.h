// GPT: a decoder-only causal language model (Radford et al. 2018). With a source it is trained and run on
// prompt and answer: the loss counts only the answer.
#pragma once

#include "models/blocks/block_stack.h"
#include "models/model.h"
#include "models/model_config.h"
#include "nn/layers.h"

namespace attune {

struct GptConfig : BlockConfig {
  int64_t layers = 6;
  bool tied_output = true, output_bias = true;

  GptConfig();
  static void fields(FieldsOf<GptConfig> f);
  void validate() const;
  static Entries of_size(Size size);
  const Task& model_task() const { return write_task(); }
};

class Gpt final : public Writer {
 public:
  Gpt(const Scope& p, const GptConfig& config, const Words& words);

  std::unique_ptr<DecoderState> start(const Ragged& prompt, Pass& pass) const override;
  Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const override;
  int64_t room(int64_t prompt_tokens) const override { return decoder_.longest() - prompt_tokens; }
  const Tensor& output_weight() const override { return output_weight_; }
  const Tensor& output_bias() const override { return output_bias_; }

 private:
  double embedding_scale_;
  Embedding words_;
  BlockStack decoder_;
  Tensor output_weight_, output_bias_;
};

}  // namespace attune
