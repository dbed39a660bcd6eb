// BERT: a bidirectional encoder (Devlin et al. 2019). It fills in masked words, predicts the class of a text
// with a head on the first token ([CLS]), answers every word with a tag, or finds the part of a text that
// answers a question. It also reads rows of numbers:
// pictures (Dosovitskiy et al. 2021), graphs (Velickovic et al. 2018), series (Liu et al. 2024), and answers
// with a class, with a tag a row, or with numbers a row.
#pragma once

#include <optional>

#include "models/blocks/block_stack.h"
#include "models/model.h"
#include "models/model_config.h"
#include "nn/input_layer.h"

namespace attune {

enum class BertTask : uint8_t { mask, classify, tag, answer, predict };
std::span<const char* const> enum_names(BertTask);
std::span<const char* const> enum_names(ErrorKind);

struct BertConfig : BlockConfig {
  BertTask task = BertTask::mask;
  int64_t layers = 6, segments = 2;
  bool embedding_norm = true;
  ErrorKind error = ErrorKind::squared;

  BertConfig();
  static void fields(FieldsOf<BertConfig> f);
  void validate() const;
  static Entries of_size(Size size);
  const Task& model_task() const;
};

class Bert final : public Model {
 public:
  // The target words are those of the source (tasks mask, answer), classes, tags, or the width of predicted
  // rows.
  Bert(const Scope& p, const BertConfig& config, const Words& words);

  // classify: one row per text; otherwise one per token.
  Tensor features(const Batch& batch, Pass& pass) const override;
  const Tensor& output_weight() const override { return output_weight_; }
  const Tensor& output_bias() const override { return output_bias_; }

 private:
  double embedding_scale_;
  InputLayer input_;
  std::optional<Embedding> segments_;  // of words
  BlockStack encoder_;
  std::optional<Linear> head_;     // tasks mask, classify
  std::optional<Norm> head_norm_;  // task mask
  Tensor output_weight_, output_bias_;
};

}  // namespace attune
