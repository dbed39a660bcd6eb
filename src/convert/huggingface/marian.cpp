// MarianMT as attune's transformer.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "convert/huggingface/network.h"
#include "convert/marian/vocabulary.h"

namespace attune::huggingface {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostWaves = 65'536;  // positions whose waves are computed
constexpr float kNever = -1e9f;         // the bias of <pad>, which is never written
constexpr int64_t kMostBeams = 1000;

void refuse_other_networks(const JsonFields& config) {
  require_class(config, {"MarianMTModel"});
  require_flag(config, "normalize_before", false);
  require_flag(config, "normalize_embedding", false);
  require_flag(config, "add_final_layer_norm", false);
  if (size_of(config, "encoder_attention_heads") != size_of(config, "decoder_attention_heads"))
    config.refuse("decoder_attention_heads",
                  "attune's transformer has as many heads in the decoder as in the encoder");
}

bool is_zero(std::span<const float> numbers) {
  return std::ranges::all_of(numbers, [](float x) { return x == 0; });
}

bool near(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.span<float>(), b.span<float>(), [](float x, float y) {
           return std::abs(x - y) < 1e-5f;
         });
}

class Reader {
 public:
  explicit Reader(const Folder& folder)
      : path_(folder.path), theirs_(folder.config), tensors_(folder.tensors) {
    refuse_other_networks(theirs_);
    config_.encoder_layers = size_of(theirs_, "encoder_layers");
    config_.decoder_layers = size_of(theirs_, "decoder_layers");
    config_.d_model = size_of(theirs_, "d_model");
    config_.heads = size_of(theirs_, "encoder_attention_heads");
    config_.feed_forward = size_of(theirs_, "encoder_ffn_dim");
    if (const int64_t size = size_of(theirs_, "decoder_ffn_dim"); size != config_.feed_forward)
      config_.decoder_feed_forward = size;
    config_.activation = activation_of(theirs_, "activation_function", "gelu");
    config_.scale_embeddings = theirs_.flag("scale_embedding", false);
    config_.tied_embeddings = theirs_.flag("share_encoder_decoder_embeddings", true);
    config_.tied_output = theirs_.flag("tie_word_embeddings", true);
    config_.max_positions = size_of(theirs_, "max_position_embeddings");
    config_.dropout = theirs_.real("dropout", 0.1);
    config_.attention_dropout = theirs_.real("attention_dropout", 0);
    config_.activation_dropout = theirs_.real("activation_dropout", 0);
    config_.validate();
  }

  ImportedModel read() {
    tensors_.drop_prefix("model.");
    read_tables();
    read_positions();
    tensors_.take_all(marian_parts(config_.encoder_layers, config_.decoder_layers), weights_);
    tensors_.require_all_taken();
    const int64_t start = theirs_.number("decoder_start_token_id");
    if (start >= target_.rows()) theirs_.refuse("decoder_start_token_id", "the model has no such token");
    config_.zero_start = is_zero(target_.row<float>(start));
    const marian::MarianVocabularies words = read_words(start);
    order_rows(words);
    return {config_as("transformer", config_), {words.source.words, words.target.words}, std::move(weights_)};
  }

 private:
  void read_tables() {
    if (config_.tied_embeddings) {
      source_ = target_ =
          tensors_.take(tensors_.contains("shared.weight") ? "shared.weight" : "encoder.embed_tokens.weight");
      for (const char* copy : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"})
        tensors_.ignore(copy);
    } else {
      source_ = tensors_.take("encoder.embed_tokens.weight");
      target_ = tensors_.take("decoder.embed_tokens.weight");
      tensors_.ignore("shared.weight");
    }
    check_table(source_, "vocab_size");
    check_table(target_, theirs_.has("decoder_vocab_size") && !config_.tied_embeddings ? "decoder_vocab_size"
                                                                                       : "vocab_size");
    if (config_.tied_output)
      tensors_.ignore("lm_head.weight");
    else
      check_table(output_ = tensors_.take("lm_head.weight"), "vocab_size");
    bias_ = tensors_.contains("final_logits_bias") ? tensors_.take("final_logits_bias")
                                                   : Tensor::zeros({target_.rows()});
    if (bias_.size() != target_.rows())
      throw UsageError(fmt::format("'final_logits_bias' has the shape {}, but there are {} words",
                                   bias_.shape().str(), target_.rows()));
  }

  void check_table(const Tensor& table, const char* key) const {
    if (table.shape() != Shape{size_of(theirs_, key), config_.d_model})
      throw UsageError(
          fmt::format("a table of word vectors has the shape {}, but {} and d_model require [{}, {}]",
                      table.shape().str(), key, size_of(theirs_, key), config_.d_model));
  }

  // The tables of positions are in some files, and may be any.
  void read_positions() {
    const std::string names[] = {"encoder.embed_positions.weight", "decoder.embed_positions.weight"};
    config_.positions = PositionKind::sinusoidal_split;
    if (!tensors_.contains(names[0]) && !tensors_.contains(names[1])) {
      config_.max_positions = std::min(config_.max_positions, kMostWaves);
      return;
    }
    const Tensor encoder = tensors_.take(names[0]), decoder = tensors_.take(names[1]);
    for (const Tensor& table : {encoder, decoder})
      if (table.shape() != Shape{config_.max_positions, config_.d_model})
        theirs_.refuse("max_position_embeddings",
                       fmt::format("the tables of positions have the shape {}", table.shape().str()));
    constexpr std::pair<PositionKind, Tensor (*)(int64_t, int64_t)> kTables[] = {
        {PositionKind::sinusoidal_split, sinusoidal_split_table},
        {PositionKind::sinusoidal, sinusoidal_table},
        {PositionKind::sinusoidal_halves, sinusoidal_halves_table}};
    for (const auto& [kind, table] : kTables) {
      const Tensor known = table(config_.max_positions, config_.d_model).to(DType::f32);
      if (near(encoder, known) && near(decoder, known)) {
        config_.positions = kind;
        return;
      }
    }
    config_.positions = PositionKind::learned;
    weights_["encoder.positions.weight"] = encoder;
    weights_["decoder.positions.weight"] = decoder;
  }

  // The target begins with <pad>, whose vector is usually zeros; otherwise it becomes <s>.
  marian::MarianVocabularies read_words(int64_t start) const {
    const fs::path list = path_ / "vocab.json", second = path_ / "target_vocab.json";
    marian::VocabularyFiles source{path_ / "source.spm", list},
        target{path_ / "target.spm", !config_.tied_embeddings && fs::exists(second) ? second : list};
    for (const fs::path& file : {source.pieces, target.pieces, source.ids})
      if (!fs::exists(file)) throw UsageError(fmt::format("{}: there is no such file", file.string()));
    if (!config_.zero_start) source.start = target.start = start;
    return marian::read_vocabularies(source, target, {source_.rows(), target_.rows()});
  }

  void order_rows(const marian::MarianVocabularies& words) {
    if (theirs_.has("pad_token_id"))
      if (const int64_t pad = theirs_.number("pad_token_id"); pad < bias_.size()) {
        bias_ = bias_.clone();
        bias_.data<float>()[pad] = kNever;
      }
    weights_["source.weight"] = words.source.embeddings(source_);
    if (!config_.tied_embeddings) weights_["target.weight"] = words.target.embeddings(target_);
    if (!config_.tied_output) weights_["output.weight"] = words.target.embeddings(output_);
    weights_["output.bias"] = words.target.bias(bias_);
  }

  fs::path path_;
  const JsonFields& theirs_;
  Tensors& tensors_;
  TransformerConfig config_;
  Tensor source_, target_, output_, bias_;
  Weights weights_;
};

// From generation_config.json or, in older folders, config.json.
Entries decoding_of(const Folder& folder) {
  const fs::path file = folder.path / "generation_config.json";
  const nlohmann::json content =
      fs::exists(file) ? parse_json(read_file(file), file.string()) : nlohmann::json::object();
  const JsonFields generation(content, file.string());
  const JsonFields& said = generation.has("num_beams") ? generation : folder.config;
  const int64_t beams = said.number("num_beams", 0);
  if (beams < 0 || beams > kMostBeams) said.refuse("num_beams", fmt::format("should be 1 to {}", kMostBeams));
  return beams == 0 ? Entries{} : Entries{entry("beam_size", beams)};
}

}  // namespace

Parts marian_parts(int64_t encoder_layers, int64_t decoder_layers) {
  Parts parts;
  const auto add_attention = [&](const std::string& ours, const std::string& theirs, const std::string& norm,
                                 bool cross) {
    if (cross) {
      add_linear(parts, ours + ".q", {theirs + ".q_proj"});
      add_linear(parts, ours + ".kv", {theirs + ".k_proj", theirs + ".v_proj"});
    } else {
      add_linear(parts, ours + ".qkv", {theirs + ".q_proj", theirs + ".k_proj", theirs + ".v_proj"});
    }
    add_linear(parts, ours + ".out", {theirs + ".out_proj"});
    add_norm(parts, ours + ".norm", norm);
  };
  for (const std::string stack : {"encoder", "decoder"})
    for (int64_t i = 0; i < (stack == "encoder" ? encoder_layers : decoder_layers); ++i) {
      const std::string ours = fmt::format("{}.layer{}.", stack, i),
                        theirs = fmt::format("{}.layers.{}.", stack, i);
      add_attention(ours + "self", theirs + "self_attn", theirs + "self_attn_layer_norm", false);
      if (stack == "decoder")
        add_attention(ours + "cross", theirs + "encoder_attn", theirs + "encoder_attn_layer_norm", true);
      add_linear(parts, ours + "feed_forward.in", {theirs + "fc1"});
      add_linear(parts, ours + "feed_forward.out", {theirs + "fc2"});
      add_norm(parts, ours + "feed_forward.norm", theirs + "final_layer_norm");
    }
  return parts;
}

ImportedModel read_marian(const Folder& folder) {
  ImportedModel model = Reader(folder).read();
  model.decoding = decoding_of(folder);
  return model;
}

}  // namespace attune::huggingface
