// attune's gpt with RMS norm, rotary positions and gated SiLU as Llama.
#include <fmt/core.h>

#include <algorithm>

#include "config/rules.h"
#include "convert/huggingface/writer.h"

namespace attune::huggingface {
namespace {

void check_expressible(const GptConfig& config) {
  require_plain_attention(config, "Llama");
  require_norm(config, NormPlace::pre, "Llama");
  require(config.norm_kind == NormKind::rms, "norm_kind", "Llama, which has rotary positions, has rms");
  require(config.activation == FeedForwardKind::swiglu, "activation",
          "Llama, which has rotary positions, has swiglu");
}

bool is_zero(const Tensor& tensor) {
  return std::ranges::all_of(tensor.span<float>(), [](float x) { return x == 0; });
}

// Queries, keys and values are three layers there, which have biases everywhere or nowhere.
void add_attention(const Parameters& ours, const GptConfig& config, const std::string& layer,
                   const std::string& theirs, bool biases, Written& out) {
  const int64_t d = config.d_model, keys = d / config.heads * config.shared_heads();
  for (const std::string kind : {".weight", ".bias"}) {
    if (kind == ".bias" && !biases) continue;
    const Tensor qkv = parameter(ours, layer + "self.qkv" + kind);
    out.add(theirs + "self_attn.q_proj" + kind, qkv.view_rows(0, d));
    out.add(theirs + "self_attn.k_proj" + kind, qkv.view_rows(d, d + keys));
    out.add(theirs + "self_attn.v_proj" + kind, qkv.view_rows(d + keys, d + 2 * keys));
    out.add(theirs + "self_attn.o_proj" + kind, parameter(ours, layer + "self.out" + kind));
  }
}

bool has_biases(const Parameters& ours, int64_t layers) {
  for (int64_t i = 0; i < layers; ++i)
    for (const char* part : {"qkv", "out"})
      if (!is_zero(parameter(ours, fmt::format("decoder.layer{}.self.{}.bias", i, part)))) return true;
  return false;
}

}  // namespace

void write_llama(const ModelFiles& model, const std::filesystem::path& folder) {
  const auto config = config_of<GptConfig>(*model.config);
  const Parameters& ours = *model.parameters;
  const Vocabulary& words = *model.vocabularies.target;
  check_expressible(config);
  require_no_output_bias(config, ours, "Llama");
  const bool tied = config.tied_output && !config.scale_embeddings, biases = has_biases(ours, config.layers);
  Written out;
  out.add("model.embed_tokens.weight", scaled(parameter(ours, "words.weight"), config.embedding_scale()));
  for (int64_t i = 0; i < config.layers; ++i) {
    const std::string layer = fmt::format("decoder.layer{}.", i), theirs = fmt::format("model.layers.{}.", i);
    add_attention(ours, config, layer, theirs, biases, out);
    out.add({{layer + "self.norm.gamma", {"input_layernorm.weight"}},
             {layer + "feed_forward.norm.gamma", {"post_attention_layernorm.weight"}},
             {layer + "feed_forward.gate.weight", {"mlp.gate_proj.weight"}},
             {layer + "feed_forward.in.weight", {"mlp.up_proj.weight"}},
             {layer + "feed_forward.out.weight", {"mlp.down_proj.weight"}}},
            ours, theirs);
  }
  out.add("model.norm.weight", parameter(ours, "decoder.norm.gamma"));
  if (!tied)
    out.add("lm_head.weight", parameter(ours, config.tied_output ? "words.weight" : "output.weight"));
  out.config = {{"model_type", "llama"},
                {"architectures", {"LlamaForCausalLM"}},
                {"num_hidden_layers", config.layers},
                {"hidden_size", config.d_model},
                {"num_attention_heads", config.heads},
                {"num_key_value_heads", config.shared_heads()},
                {"intermediate_size", config.feed_forward},
                {"hidden_act", "silu"},
                {"rms_norm_eps", config.norm_epsilon},
                {"rope_theta", config.rotary_base},
                {"rope_scaling", nullptr},
                {"max_position_embeddings", config.max_positions},
                {"vocab_size", words.size()},
                {"attention_bias", biases},
                {"mlp_bias", false},
                {"attention_dropout", config.attention_dropout},
                {"tie_word_embeddings", tied},
                {"bos_token_id", words.bos()},
                {"eos_token_id", words.eos()},
                {"torch_dtype", "float32"}};
  if (config.rotary_stretch > 1)
    out.config["rope_scaling"] = {{"rope_type", "llama3"},
                                  {"factor", config.rotary_stretch},
                                  {"low_freq_factor", 1.0},
                                  {"high_freq_factor", 4.0},
                                  {"original_max_position_embeddings", config.rotary_trained}};
  save(out, folder);
  write_tokenizer(folder, words, config.max_positions, {});
}

}  // namespace attune::huggingface
