// BERT and DistilBERT as attune's bert: with the head that fills in words, with a classifier, or bare.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "convert/huggingface/network.h"
#include "convert/huggingface/vocabulary.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune::huggingface {
namespace {

constexpr float kNever = -1e9f;  // the bias of <unk>, <s> and </s> among the classes
constexpr int64_t kSymbols = 3;

// What the parts of a layer are called.
struct Names {
  const char *layers, *q, *k, *v, *out, *self_norm, *in, *ff_out, *ff_norm;
};
constexpr Names kBert{"encoder.layer.",       "attention.self.query",   "attention.self.key",
                      "attention.self.value", "attention.output.dense", "attention.output.LayerNorm",
                      "intermediate.dense",   "output.dense",           "output.LayerNorm"};
constexpr Names kDistil{"transformer.layer.", "attention.q_lin",   "attention.k_lin",
                        "attention.v_lin",    "attention.out_lin", "sa_layer_norm",
                        "ffn.lin1",           "ffn.lin2",          "output_layer_norm"};

BertConfig common_config() {
  BertConfig config;
  config.scale_embeddings = false;
  return config;
}

// Tokens that the task looks for must come before the words: words are those after [MASK].
void check_order(const Vocabulary& words, const JsonFields& config) {
  const int32_t mask = words.required("[MASK]");
  for (const char* symbol : {"[CLS]", "[SEP]"})
    if (words.required(symbol) > mask || words.unk() > mask)
      config.refuse("vocabulary", "[UNK], [CLS] and [SEP] should come before [MASK], and the words after it");
}

// A head that has not learned anything: what the network says is compared with the word vectors.
void add_plain_head(int64_t d, int64_t words, Weights& to) {
  const Tensor identity = Tensor::zeros({d, d});
  for (int64_t i = 0; i < d; ++i) identity.data<float>()[i * d + i] = 1;
  to["mask.weight"] = identity;
  to["mask.bias"] = Tensor::zeros({d});
  to["mask.norm.gamma"] = Tensor::full({d}, 1);
  to["mask.norm.beta"] = Tensor::zeros({d});
  to["mask.output_bias"] = Tensor::zeros({words});
}

std::vector<std::string> classes_of(const JsonFields& config, int64_t count) {
  std::vector<std::string> classes;
  const JsonFields names = config.object("id2label");
  for (int64_t i = 0; i < count; ++i) {
    std::string name = names.text(std::to_string(i), fmt::format("LABEL_{}", i));
    std::ranges::replace(name, ' ', '_');  // a class is one word
    if (name.empty() || std::ranges::find(classes, name) != classes.end())
      config.refuse("id2label", fmt::format("class {} should have a name of its own, not '{}'", i, name));
    classes.push_back(std::move(name));
  }
  return classes;
}

// Rows before the first: attune's classes begin with <unk>, <s> and </s>.
Tensor with_symbols(const Tensor& tensor, float fill) {
  const bool flat = tensor.shape().rank() == 1;
  const int64_t rows = (flat ? tensor.size() : tensor.rows()) + kSymbols, d = flat ? 1 : tensor.columns();
  Tensor all = flat ? Tensor({rows}) : Tensor({rows, d});
  std::fill_n(all.data<float>(), kSymbols * d, fill);
  std::ranges::copy(tensor.span<float>(), all.data<float>() + kSymbols * d);
  return all;
}

ImportedModel finished(const Folder& folder, const BertConfig& config, Weights weights) {
  const auto words = read_wordpiece(folder.path, weights["words.weight"].rows());
  check_order(*words, folder.config);
  if (config.task == BertTask::mask) return {config_as("bert", config), {words, words}, std::move(weights)};
  std::vector<ListedToken> classes;
  for (std::string& name : classes_of(folder.config, weights["classes.bias"].size() - kSymbols))
    classes.push_back({std::move(name)});
  return {config_as("bert", config),
          {words, std::make_shared<ListedVocabulary>(VocabularyKind::word, std::move(classes))},
          std::move(weights)};
}

bool near(const Tensor& a, const Tensor& b, double factor) {
  return a.shape() == b.shape() &&
         std::ranges::equal(a.span<float>(), b.span<float>(),
                            [&](float x, float y) { return std::abs(x - factor * y) <= 1e-6 * std::abs(x); });
}

// The output of the head is the table of word vectors, which are scaled when they are read or are not.
void read_output(Tensors& tensors, const char* name, BertConfig& config, Weights& weights) {
  if (!tensors.contains(name)) return;
  const Tensor output = tensors.take(name);
  Tensor& words = weights["words.weight"];
  if (near(words, output, 1)) return;
  config.scale_embeddings = true;
  if (!near(words, output, config.embedding_scale()))
    throw UsageError(
        fmt::format("'{}' differs from the word vectors, but attune's bert has one table", name));
  words = output;
}

}  // namespace

Parts bert_parts(int64_t layers, BertNames kind) {
  const Names& names = kind == BertNames::bert ? kBert : kDistil;
  Parts parts{{"words.weight", {"embeddings.word_embeddings.weight"}},
              {"encoder.positions.weight", {"embeddings.position_embeddings.weight"}}};
  if (kind == BertNames::bert)
    parts.push_back({"segments.weight", {"embeddings.token_type_embeddings.weight"}});
  add_norm(parts, "encoder.embedding_norm", "embeddings.LayerNorm");
  for (int64_t i = 0; i < layers; ++i) {
    const std::string ours = fmt::format("encoder.layer{}.", i),
                      theirs = fmt::format("{}{}.", names.layers, i);
    add_linear(parts, ours + "self.qkv", {theirs + names.q, theirs + names.k, theirs + names.v});
    add_linear(parts, ours + "self.out", {theirs + names.out});
    add_norm(parts, ours + "self.norm", theirs + names.self_norm);
    add_linear(parts, ours + "feed_forward.in", {theirs + names.in});
    add_linear(parts, ours + "feed_forward.out", {theirs + names.ff_out});
    add_norm(parts, ours + "feed_forward.norm", theirs + names.ff_norm);
  }
  return parts;
}

Parts bert_mask_parts(BertNames kind) {
  Parts parts;
  const bool bert = kind == BertNames::bert;
  add_linear(parts, "mask", {bert ? "cls.predictions.transform.dense" : "vocab_transform"});
  add_norm(parts, "mask.norm", bert ? "cls.predictions.transform.LayerNorm" : "vocab_layer_norm");
  parts.push_back({"mask.output_bias", {bert ? "cls.predictions.bias" : "vocab_projector.bias"}});
  return parts;
}

ImportedModel read_bert(const Folder& folder) {
  const auto& [path, theirs, tensors] = folder;
  require_class(theirs,
                {"BertForMaskedLM", "BertForPreTraining", "BertForSequenceClassification", "BertModel"});
  require_text(theirs, "position_embedding_type", "absolute");
  require_flag(theirs, "is_decoder", false);
  require_flag(theirs, "add_cross_attention", false);
  BertConfig config = common_config();
  config.layers = size_of(theirs, "num_hidden_layers");
  config.d_model = size_of(theirs, "hidden_size");
  config.heads = size_of(theirs, "num_attention_heads");
  config.feed_forward = size_of(theirs, "intermediate_size");
  config.activation = activation_of(theirs, "hidden_act", "gelu");
  config.norm_epsilon = theirs.real("layer_norm_eps", 1e-12);
  config.max_positions = size_of(theirs, "max_position_embeddings");
  config.segments = size_of(theirs, "type_vocab_size");
  config.dropout = theirs.real("hidden_dropout_prob", 0.1);
  config.attention_dropout = theirs.real("attention_probs_dropout_prob", 0.1);
  tensors.drop_prefix("bert.");
  tensors.rename_end("LayerNorm.gamma", "LayerNorm.weight");
  tensors.rename_end("LayerNorm.beta", "LayerNorm.bias");
  tensors.ignore("embeddings.position_ids");
  config.task = tensors.contains("classifier.weight") ? BertTask::classify : BertTask::mask;
  config.validate();
  Weights weights;
  tensors.take_all(bert_parts(config.layers, BertNames::bert), weights);
  if (config.task == BertTask::classify) {
    require_text(theirs, "problem_type", "single_label_classification");
    tensors.take_all({{"pool.weight", {"pooler.dense.weight"}}, {"pool.bias", {"pooler.dense.bias"}}},
                     weights);
    weights["classes.weight"] = with_symbols(tensors.take("classifier.weight"), 0);
    weights["classes.bias"] = with_symbols(tensors.take("classifier.bias"), kNever);
    if (weights["classes.bias"].size() == kSymbols + 1)
      theirs.refuse("id2label", "one class means a number to be estimated, which attune's bert does not do");
  } else if (tensors.contains("cls.predictions.bias")) {
    if (config.activation != FeedForwardKind::gelu)
      theirs.refuse("hidden_act", "the head of attune's bert has gelu");
    tensors.take_all(bert_mask_parts(BertNames::bert), weights);
    read_output(tensors, "cls.predictions.decoder.weight", config, weights);
    tensors.ignore("cls.predictions.decoder.bias");  // the same as cls.predictions.bias
  } else {
    add_plain_head(config.d_model, weights["words.weight"].rows(), weights);
  }
  if (config.task == BertTask::mask) {  // heads of the other task, which attune does not keep
    tensors.ignore_begin("pooler.");
    tensors.ignore_begin("cls.seq_relationship.");
  }
  tensors.require_all_taken();
  return finished(folder, config, std::move(weights));
}

ImportedModel read_distilbert(const Folder& folder) {
  const auto& [path, theirs, tensors] = folder;
  require_class(theirs, {"DistilBertForMaskedLM", "DistilBertModel"});
  BertConfig config = common_config();
  config.layers = size_of(theirs, "n_layers");
  config.d_model = size_of(theirs, "dim");
  config.heads = size_of(theirs, "n_heads");
  config.feed_forward = size_of(theirs, "hidden_dim");
  config.activation = activation_of(theirs, "activation", "gelu");
  config.norm_epsilon = 1e-12;
  config.max_positions = size_of(theirs, "max_position_embeddings");
  config.dropout = theirs.real("dropout", 0.1);
  config.attention_dropout = theirs.real("attention_dropout", 0.1);
  if (config.activation != FeedForwardKind::gelu)
    theirs.refuse("activation", "the head of attune's bert has gelu");
  config.validate();
  tensors.drop_prefix("distilbert.");
  tensors.ignore("embeddings.position_ids");
  Weights weights;
  tensors.take_all(bert_parts(config.layers, BertNames::distilbert), weights);
  weights["segments.weight"] = Tensor::zeros({config.segments, config.d_model});
  if (tensors.contains("vocab_projector.bias")) {
    tensors.take_all(bert_mask_parts(BertNames::distilbert), weights);
    read_output(tensors, "vocab_projector.weight", config, weights);
  } else {
    add_plain_head(config.d_model, weights["words.weight"].rows(), weights);
  }
  tensors.require_all_taken();
  return finished(folder, config, std::move(weights));
}

}  // namespace attune::huggingface
