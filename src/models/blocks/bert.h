// BERT: a bidirectional encoder (Devlin et al. 2019). It fills in masked words or, with a classification head
// on the first token ([CLS]), predicts the class of a text.
#pragma once

#include <optional>

#include "models/blocks/block_stack.h"
#include "models/model.h"
#include "models/model_config.h"
#include "nn/layers.h"

namespace attune {

enum class BertTask : uint8_t { mask, classify };
std::span<const char* const> enum_names(BertTask);

struct BertConfig : BlockConfig {
  BertTask task = BertTask::mask;
  int64_t layers = 6, segments = 2;

  BertConfig();
  static void fields(FieldsOf<BertConfig> f);
  void validate() const;
  static Entries of_size(Size size);
  const Task& model_task() const { return task == BertTask::mask ? fill_task() : classify_task(); }
};

class Bert final : public Model {
 public:
  // The target words are those of the source (task mask), or the classes.
  Bert(const Scope& p, const BertConfig& config, const Words& words);

  // mask: one row per token; classify: one row per text.
  Tensor features(const Batch& batch, Pass& pass) const override;
  const Tensor& output_weight() const override { return output_weight_; }
  const Tensor& output_bias() const override { return output_bias_; }

 private:
  double embedding_scale_;
  Embedding words_, segments_;
  BlockStack encoder_;
  Linear head_;
  std::optional<Norm> head_norm_;  // task mask
  Tensor output_weight_, output_bias_;
};

}  // namespace attune
