#include "models/blocks/bert.h"

#include "base/check.h"
#include "config/rules.h"

namespace attune {
namespace {

const RegisterModel<BertConfig, Bert> registered("bert");

std::vector<int64_t> first_tokens(const Rows& rows) {
  std::vector<int64_t> tokens;
  for (int64_t s = 0; s < rows.count(); ++s) {
    check(rows.length(s) > 0, "bert: text {} is empty, so it has no first token", s);
    tokens.push_back(rows.begin(s));
  }
  return tokens;
}

}  // namespace

std::span<const char* const> enum_names(BertTask) {
  static constexpr const char* kWords[] = {"mask", "classify"};
  return kWords;
}

BertConfig::BertConfig() {
  activation = FeedForwardKind::gelu;
  positions = PositionKind::learned;
}

void BertConfig::fields(FieldsOf<BertConfig> f) {
  f("task", &BertConfig::task, "fill in masked words, or classify texts");
  f("layers", &BertConfig::layers, "layers");
  f("segments", &BertConfig::segments, "kinds of text in one input, each with its own vector");
  BlockConfig::fields(f);
}

Entries BertConfig::of_size(Size size) {
  Entries entries = BlockConfig::of_size(size);
  entries.push_back(entry("layers", block_size(size).layers));
  return entries;
}

void BertConfig::validate() const {
  require_positive({{"layers", layers}, {"segments", segments}});
  require_at_most(kMostLayers, {{"layers", layers}, {"segments", segments}});
  BlockConfig::validate();
}

// The mask head ends with the embeddings; the classification head with its own layer.
Bert::Bert(const Scope& p, const BertConfig& config, const Words& words)
    : embedding_scale_(config.embedding_scale()),
      words_(p / "words", words.source, config.d_model),
      segments_(p / "segments", config.segments, config.d_model),
      encoder_(p / "encoder", config, {AttentionName::encoder, config.layers, {}, {}, true}),
      head_(p / (config.task == BertTask::mask ? "mask" : "pool"), config.d_model, config.d_model) {
  if (config.task == BertTask::mask) {
    require_joint("task", true, words);
    head_norm_.emplace(p / "mask" / "norm", config.norm_kind, config.d_model, config.norm_epsilon);
    output_weight_ = words_.weight;
    output_bias_ = (p / "mask").param("output_bias", {words.target}, zeros());
  } else {
    output_weight_ = (p / "classes").param("weight", {words.target, config.d_model}, glorot());
    output_bias_ = (p / "classes").param("bias", {words.target}, zeros());
  }
}

// mask:      norm(gelu(W h_t))   for every token
// classify:  tanh(W h_[CLS])     for every text
Tensor Bert::features(const Batch& batch, Pass& pass) const {
  const Ragged& text = batch.source;
  Tensor x = words_(text.ids, embedding_scale_);
  const Tensor segments = batch.segments ? batch.segments : Tensor::zeros({text.rows.total()}, DType::i32);
  x = add(x, segments_(segments));
  StackState reading = encoder_.start(text.rows.count());
  const Tensor h = encoder_(x, text.rows, reading, pass);
  if (head_norm_) return (*head_norm_)(head_(h, Activation::gelu));
  return head_(take_rows(h, first_tokens(text.rows)), Activation::tanh);
}

}  // namespace attune
