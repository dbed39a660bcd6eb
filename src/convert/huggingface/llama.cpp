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
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const JsonFields scaling = config.object(key);
    const std::string type = scaling.text("rope_type", scaling.text("type", "default"));
    if (type != "default")
      config.refuse(key, fmt::format("attune has plain rotary positions, not '{}'", type));
  }
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
    config_.rotary_base =
        theirs_.object("rope_parameters").real("rope_theta", theirs_.real("rope_theta", 10000));
    config_.max_positions = std::min(size_of(theirs_, "max_position_embeddings"), kMostTurns);
    config_.scale_embeddings = false;
    config_.output_bias = false;
    config_.dropout = 0;
    config_.validate();
    head_ = config_.d_model / config_.heads;
    shared_ = theirs_.number("num_key_value_heads", config_.heads);
    if (shared_ < 1 || config_.heads % shared_ != 0)
      theirs_.refuse("num_key_value_heads",
                     fmt::format("{} heads cannot share {} keys", config_.heads, shared_));
    if (theirs_.number("head_dim", head_) != head_)
      theirs_.refuse("head_dim",
                     fmt::format("attune's heads have hidden_size / num_attention_heads = {}", head_));
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
    weights_[ours + "self.qkv.weight"] =
        joined({tensors_.take(attention + "q_proj.weight"), repeated(attention + "k_proj.weight"),
                repeated(attention + "v_proj.weight")});
    weights_[ours + "self.qkv.bias"] =
        tensors_.contains(attention + "q_proj.bias")
            ? joined({tensors_.take(attention + "q_proj.bias"), repeated(attention + "k_proj.bias"),
                      repeated(attention + "v_proj.bias")})
            : Tensor::zeros({3 * config_.d_model});
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

  // Keys or values [shared heads, ..] for each of the heads that share them.
  Tensor repeated(const std::string& name) {
    const Tensor all = tensors_.take(name);
    const int64_t rows = all.shape().rank() == 1 ? all.size() : all.rows();
    if (rows != shared_ * head_)
      throw UsageError(fmt::format("'{}' has the shape {}, but num_key_value_heads requires {} rows", name,
                                   all.shape().str(), shared_ * head_));
    if (shared_ == config_.heads) return all;
    std::vector<Tensor> heads;
    for (int64_t h = 0; h < config_.heads; ++h) {
      const int64_t from = h * shared_ / config_.heads * head_;
      heads.push_back(all.view_rows(from, from + head_));
    }
    return joined(heads);
  }

  const JsonFields& theirs_;
  Tensors& tensors_;
  GptConfig config_;
  int64_t head_ = 0, shared_ = 0;  // the size of a head; key/value heads
  Weights weights_;
};

}  // namespace

ImportedModel read_llama(const Folder& folder) { return Reader(folder).read(folder.path); }

}  // namespace attune::huggingface
