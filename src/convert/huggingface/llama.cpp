// Llama and models of its shape (Mistral, Qwen2) as attune's gpt: RMS norm, rotary positions, gated SiLU.
#include <fmt/core.h>

#include <algorithm>

#include "convert/huggingface/network.h"
#include "convert/huggingface/vocabulary.h"
#include "convert/matrices.h"

namespace attune::huggingface {
namespace {

constexpr int64_t kMostTurns = 131'072;  // positions: the table of turns is in memory

void refuse_other_networks(const JsonFields& config) {
  require_class(config, {"LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM"});
  require_text(config, "hidden_act", "silu");
  require_flag(config, "mlp_bias", false);
  require_number(config, "partial_rotary_factor", 1.0);
  require_flag(config, "use_sliding_window", false);
  if (config.text("model_type", "") == "mistral" && config.has("sliding_window") &&
      config.number("sliding_window") < config.number("max_position_embeddings", 0))
    config.refuse("sliding_window", "attune has the network without it (null)");
}

// Rotary positions: plain, or with long waves stretched as in Llama 3.1. Newer files name all in one place.
void read_waves(const JsonFields& theirs, GptConfig& config) {
  const JsonFields waves = theirs.object(theirs.has("rope_parameters") ? "rope_parameters" : "rope_scaling");
  config.rotary_base = waves.real("rope_theta", theirs.real("rope_theta", 10000));
  const std::string type = waves.text("rope_type", waves.text("type", "default"));
  if (type == "default") return;
  if (type != "llama3")
    waves.refuse("rope_type", fmt::format("attune has plain rotary positions and llama3, not '{}'", type));
  require_number(waves, "low_freq_factor", 1);
  require_number(waves, "high_freq_factor", 4);
  config.rotary_stretch = waves.real("factor", 8);
  config.rotary_trained = size_of(waves, "original_max_position_embeddings");
}

class Reader {
 public:
  explicit Reader(const Folder& folder) : theirs_(folder.config), tensors_(folder.tensors) {
    refuse_other_networks(theirs_);
    config_.layers = size_of(theirs_, "num_hidden_layers");
    config_.d_model = size_of(theirs_, "hidden_size");
    config_.heads = size_of(theirs_, "num_attention_heads");
    config_.feed_forward = size_of(theirs_, "intermediate_size");
    config_.activation = FeedForwardKind::swiglu;
    config_.norm_kind = NormKind::rms;
    config_.norm_epsilon = theirs_.real("rms_norm_eps", 1e-6);
    config_.positions = PositionKind::rotary;
    read_waves(theirs_, config_);
    config_.max_positions = std::min(size_of(theirs_, "max_position_embeddings"), kMostTurns);
    config_.scale_embeddings = false;
    config_.output_bias = false;
    config_.dropout = 0;
    if (const int64_t shared = theirs_.number("num_key_value_heads", config_.heads); shared != config_.heads)
      config_.key_heads = shared;
    config_.validate();
    if (const int64_t head = config_.d_model / config_.heads; theirs_.number("head_dim", head) != head)
      theirs_.refuse("head_dim",
                     fmt::format("attune's heads have hidden_size / num_attention_heads = {}", head));
  }

  ImportedModel read(const std::filesystem::path& path) {
    tensors_.drop_prefix("model.");
    tensors_.ignore_end(".rotary_emb.inv_freq");
    weights_["words.weight"] = tensors_.take("embed_tokens.weight");
    for (int64_t i = 0; i < config_.layers; ++i)
      read_layer(fmt::format("decoder.layer{}.", i), fmt::format("layers.{}.", i));
    weights_["decoder.norm.gamma"] = tensors_.take("norm.weight");
    config_.tied_output = theirs_.flag("tie_word_embeddings", false) || !tensors_.contains("lm_head.weight");
    if (config_.tied_output)
      tensors_.ignore("lm_head.weight");
    else
      weights_["output.weight"] = tensors_.take("lm_head.weight");
    tensors_.require_all_taken();
    const auto words = read_byte_bpe(path, theirs_, weights_["words.weight"].rows());
    return {config_as("gpt", config_), {words, words}, std::move(weights_)};
  }

 private:
  void read_layer(const std::string& ours, const std::string& theirs) {
    const std::string attention = theirs + "self_attn.";
    weights_[ours + "self.qkv.weight"] = projections(attention, ".weight");
    weights_[ours + "self.qkv.bias"] = tensors_.contains(attention + "q_proj.bias")
                                           ? projections(attention, ".bias")
                                           : Tensor::zeros({config_.d_model + 2 * keys()});
    weights_[ours + "self.out.weight"] = tensors_.take(attention + "o_proj.weight");
    weights_[ours + "self.out.bias"] = tensors_.contains(attention + "o_proj.bias")
                                           ? tensors_.take(attention + "o_proj.bias")
                                           : Tensor::zeros({config_.d_model});
    weights_[ours + "self.norm.gamma"] = tensors_.take(theirs + "input_layernorm.weight");
    weights_[ours + "feed_forward.norm.gamma"] = tensors_.take(theirs + "post_attention_layernorm.weight");
    for (const auto& [mine, their] :
         {std::pair{"gate", "gate_proj"}, {"in", "up_proj"}, {"out", "down_proj"}})
      weights_[fmt::format("{}feed_forward.{}.weight", ours, mine)] =
          tensors_.take(fmt::format("{}mlp.{}.weight", theirs, their));
  }

  int64_t keys() const { return config_.d_model / config_.heads * config_.shared_heads(); }

  // Queries, keys and values below each other.
  Tensor projections(const std::string& attention, const char* kind) {
    std::vector<Tensor> parts;
    for (const auto& [name, rows] :
         {std::pair{"q_proj", config_.d_model}, {"k_proj", keys()}, {"v_proj", keys()}}) {
      parts.push_back(tensors_.take(attention + name + kind));
      const Shape& shape = parts.back().shape();
      if (shape.rank() == 0 || shape[0] != rows)
        throw UsageError(fmt::format("'{}{}{}' has the shape {}, but the heads require {} rows", attention,
                                     name, kind, shape.str(), rows));
    }
    return joined(parts);
  }

  const JsonFields& theirs_;
  Tensors& tensors_;
  GptConfig config_;
  Weights weights_;
};

}  // namespace

ImportedModel read_llama(const Folder& folder) { return Reader(folder).read(folder.path); }

}  // namespace attune::huggingface
