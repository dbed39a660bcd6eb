// GPT-2 as attune's gpt.
#include <fmt/core.h>

#include <algorithm>

#include "convert/huggingface/network.h"
#include "convert/huggingface/vocabulary.h"

namespace attune::huggingface {
namespace {

void refuse_other_networks(const JsonFields& config) {
  require_class(config, {"GPT2LMHeadModel", "GPT2Model"});
  require_flag(config, "scale_attn_weights", true);
  require_flag(config, "scale_attn_by_inverse_layer_idx", false);
  require_flag(config, "add_cross_attention", false);
}

bool same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.span<float>(), b.span<float>());
}

}  // namespace

Parts gpt2_parts(int64_t layers) {
  Parts parts{{"words.weight", {"wte.weight"}}, {"decoder.positions.weight", {"wpe.weight"}}};
  for (int64_t i = 0; i < layers; ++i) {
    const std::string ours = fmt::format("decoder.layer{}.", i), theirs = fmt::format("h.{}.", i);
    add_norm(parts, ours + "self.norm", theirs + "ln_1");
    add_linear(parts, ours + "self.qkv", {theirs + "attn.c_attn"}, true);
    add_linear(parts, ours + "self.out", {theirs + "attn.c_proj"}, true);
    add_norm(parts, ours + "feed_forward.norm", theirs + "ln_2");
    add_linear(parts, ours + "feed_forward.in", {theirs + "mlp.c_fc"}, true);
    add_linear(parts, ours + "feed_forward.out", {theirs + "mlp.c_proj"}, true);
  }
  add_norm(parts, "decoder.norm", "ln_f");
  return parts;
}

ImportedModel read_gpt2(const Folder& folder) {
  const auto& [path, theirs, tensors] = folder;
  refuse_other_networks(theirs);
  GptConfig config;
  config.layers = size_of(theirs, "n_layer");
  config.d_model = size_of(theirs, "n_embd");
  config.heads = size_of(theirs, "n_head");
  config.feed_forward = theirs.number("n_inner", 4 * config.d_model);
  config.activation = activation_of(theirs, "activation_function", "gelu_new");
  config.norm_epsilon = theirs.real("layer_norm_epsilon", 1e-5);
  config.max_positions = size_of(theirs, "n_positions");
  config.scale_embeddings = false;
  config.output_bias = false;
  config.dropout = theirs.real("resid_pdrop", 0.1);
  config.attention_dropout = theirs.real("attn_pdrop", 0.1);
  config.validate();
  tensors.drop_prefix("transformer.");
  tensors.ignore_end(".attn.bias");  // the mask of what comes later
  tensors.ignore_end(".attn.masked_bias");
  Weights weights;
  tensors.take_all(gpt2_parts(config.layers), weights);
  if (tensors.contains("lm_head.weight")) {
    const Tensor output = tensors.take("lm_head.weight");
    config.tied_output = same(output, weights["words.weight"]);
    if (!config.tied_output) weights["output.weight"] = output;
  }
  tensors.require_all_taken();
  const auto words = read_byte_bpe(path, theirs, weights["words.weight"].rows());
  return {config_as("gpt", config), {words, words}, std::move(weights)};
}

}  // namespace attune::huggingface
