// attune's bert as BERT.
#include <fmt/core.h>

#include "config/rules.h"
#include "convert/huggingface/writer.h"

namespace attune::huggingface {
namespace {

constexpr int32_t kSymbols = 3;  // <unk>, <s> and </s> come before the classes

void add_classes(const Parameters& ours, const Vocabulary& classes, Written& out) {
  out.add({{"pool.weight", {"pooler.dense.weight"}}, {"pool.bias", {"pooler.dense.bias"}}}, ours, "bert.");
  const Tensor weight = parameter(ours, "classes.weight"), bias = parameter(ours, "classes.bias");
  out.add("classifier.weight", weight.view_rows(kSymbols, weight.rows()));
  out.add("classifier.bias", bias.view_rows(kSymbols, bias.size()));
  nlohmann::json names = nlohmann::json::object(), numbers = nlohmann::json::object();
  for (int32_t id = kSymbols; id < classes.size(); ++id) {
    names[std::to_string(id - kSymbols)] = classes.piece(id);
    numbers[classes.piece(id)] = id - kSymbols;
  }
  out.config["architectures"] = {"BertForSequenceClassification"};
  out.config["id2label"] = names;
  out.config["label2id"] = numbers;
  out.config["problem_type"] = "single_label_classification";
}

// BERT does not scale word vectors, so the table for reading may be another one than that of the head.
void add_mask_head(const Parameters& ours, const BertConfig& config, Written& out) {
  require(config.activation == FeedForwardKind::gelu, "activation", "BERT has that of its head, gelu");
  out.add(bert_mask_parts(BertNames::bert), ours, "");
  out.config["architectures"] = {"BertForMaskedLM"};
  out.config["tie_word_embeddings"] = !config.scale_embeddings;
  if (!config.scale_embeddings) return;
  out.add("cls.predictions.decoder.weight", parameter(ours, "words.weight"));
  out.add("cls.predictions.decoder.bias", parameter(ours, "mask.output_bias"));
}

}  // namespace

void write_bert(const ModelFiles& model, const std::filesystem::path& folder) {
  const auto config = config_of<BertConfig>(*model.config);
  const Parameters& ours = *model.parameters;
  const Vocabulary& words = *model.vocabularies.source;
  require_plain_blocks(config, "BERT");
  require_norm(config, NormPlace::post, "BERT");
  require(config.positions == PositionKind::learned, "positions", "BERT has learned ones");
  require(config.embedding_norm, "embedding_norm", "BERT has a norm before the first layer");
  require(config.task == BertTask::mask || config.task == BertTask::classify, "task",
          "only models that fill in masks or classify can be written");
  Written out;
  out.config = {{"model_type", "bert"},
                {"num_hidden_layers", config.layers},
                {"hidden_size", config.d_model},
                {"num_attention_heads", config.heads},
                {"intermediate_size", config.feed_forward},
                {"hidden_act", name_of(config.activation)},
                {"layer_norm_eps", config.norm_epsilon},
                {"max_position_embeddings", config.max_positions},
                {"type_vocab_size", config.segments},
                {"vocab_size", words.size()},
                {"hidden_dropout_prob", config.dropout},
                {"attention_probs_dropout_prob", config.attention_dropout},
                {"position_embedding_type", "absolute"},
                {"torch_dtype", "float32"}};
  out.add(bert_parts(config.layers, BertNames::bert), ours, "bert.");
  out.tensors[0].tensor = scaled(out.tensors[0].tensor, config.embedding_scale());
  if (config.task == BertTask::classify)
    add_classes(ours, *model.vocabularies.target, out);
  else
    add_mask_head(ours, config, out);
  const auto pad = words.id("[PAD]");
  out.config["pad_token_id"] = pad.value_or(words.unk());
  save(out, folder);
  write_tokenizer(folder, words, config.max_positions,
                  {{"cls_token", "[CLS]"},
                   {"sep_token", "[SEP]"},
                   {"mask_token", "[MASK]"},
                   {"pad_token", words.piece(pad.value_or(words.unk()))}});
}

}  // namespace attune::huggingface
