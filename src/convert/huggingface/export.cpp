// Writes folders that Hugging Face's transformers reads: MarianMT, GPT-2, Llama and BERT.
#include <fmt/core.h>

#include "config/rules.h"
#include "convert/huggingface/writer.h"
#include "convert/matrices.h"
#include "io/files/directory.h"
#include "io/files/file.h"

namespace attune::huggingface {
namespace {

namespace fs = std::filesystem;

auto writer_of(const ModelFiles& model) {
  const std::string& type = model.config->type();
  require_word("type", type, {"transformer", "gpt", "bert"});
  if (type == "transformer") return write_marian;
  if (type == "bert") return write_bert;
  return config_of<GptConfig>(*model.config).positions == PositionKind::rotary ? write_llama : write_gpt2;
}

void write(const ModelFiles& model, const fs::path& path, FileNumbers precision) {
  require(precision == FileNumbers::f32, "--precision", "Hugging Face's folders are written in f32");
  require(model.vocabularies.source->vectors() == nullptr && !model.vocabularies.source->several(), "source",
          "only models that read words can be written, not vectors");
  const auto write_model = writer_of(model);
  AtomicDirectory out(path);
  write_model(model, out.path());
  out.commit();
}

const RegisterExporter registered{{"huggingface", "a Hugging Face folder", write}};

}  // namespace

Tensor parameter(const Parameters& ours, std::string_view name) {
  const Tensor& tensor = ours.at(name);
  require(tensor.dtype() == DType::f32, name,
          "its numbers have type {}; convert the model that it was quantised from",
          attune::name(tensor.dtype()));
  return tensor;
}

Tensor scaled(const Tensor& tensor, double factor) {
  if (factor == 1) return tensor;
  Tensor result = tensor.clone();
  for (float& x : result.span<float>()) x = static_cast<float>(x * factor);
  return result;
}

void Written::add(const Parts& parts, const Parameters& ours, const std::string& prefix) {
  for (const Part& part : parts) {
    const Tensor whole = parameter(ours, part.ours);
    const auto count = static_cast<int64_t>(part.theirs.size());
    const std::vector<Tensor> each = count == 1 ? std::vector{whole} : parted(whole, count);
    for (size_t i = 0; i < each.size(); ++i)
      add(prefix + part.theirs[i], part.transposed ? transposed_matrix(each[i]) : each[i]);
  }
}

void require_plain_attention(const BlockConfig& config, const std::string& what) {
  require(config.attention == "scaled_dot", "attention", "{} has scaled_dot, not '{}'", what,
          config.attention);
  require(config.visibility == "full", "visibility", "{} has full, not '{}'", what, config.visibility);
  require(config.has_usual_layers(), "model",
          "{} has no head_size, value_size, last_heads, projections: false, attention_activation, "
          "feed_forward: 0 or activation: conv",
          what);
  require(config.residual, "residual", "{} has residual connections everywhere", what);
}

void require_plain_blocks(const BlockConfig& config, const std::string& what) {
  require_plain_attention(config, what);
  require(config.shared_heads() == config.heads, "key_heads", "{} has as many as heads", what);
  require(config.norm_kind == NormKind::layer, "norm_kind", "{} has layer norms", what);
  name_of(config.activation);  // refuses others
  require(config.feed_forward_layers == 2, "feed_forward_layers", "{} has 2", what);
}

void require_no_output_bias(const GptConfig& config, const Parameters& ours, const std::string& what) {
  if (!config.output_bias) return;
  for (const float x : parameter(ours, "output.bias").span<float>())
    require(x == 0, "output_bias", "{} has none; train with output_bias: false", what);
}

void require_norm(const BlockConfig& config, NormPlace place, const std::string& what) {
  const char* wanted = enum_names(place)[static_cast<size_t>(place)];
  require(config.norm == place, "norm", "{} has norm: {}, not {}", what, wanted,
          enum_names(config.norm)[static_cast<size_t>(config.norm)]);
  require(config.ends_with_norm() == (place == NormPlace::pre), "final_norm",
          "{} has {} norm after the last layer", what, place == NormPlace::pre ? "a" : "no");
}

void save(const Written& written, const fs::path& folder) {
  write_safetensors(folder / "model.safetensors", written.tensors, {{"format", "pt"}});
  write_file_atomically(folder / "config.json", written.config.dump(2) + "\n");
}

void write_gpt2(const ModelFiles& model, const fs::path& folder) {
  const auto config = config_of<GptConfig>(*model.config);
  const Parameters& ours = *model.parameters;
  require_plain_blocks(config, "GPT-2");
  require_norm(config, NormPlace::pre, "GPT-2");
  require(config.positions == PositionKind::learned, "positions", "GPT-2 has learned ones");
  require_no_output_bias(config, ours, "GPT-2");
  // GPT-2 does not scale word vectors, so the table for reading is another one than that for writing.
  const bool tied = config.tied_output && !config.scale_embeddings;
  const Vocabulary& words = *model.vocabularies.target;
  Written out;
  out.add(gpt2_parts(config.layers), ours, "transformer.");
  out.tensors[0].tensor = scaled(out.tensors[0].tensor, config.embedding_scale());
  if (!tied)
    out.add("lm_head.weight", parameter(ours, config.tied_output ? "words.weight" : "output.weight"));
  out.config = {{"model_type", "gpt2"},
                {"architectures", {"GPT2LMHeadModel"}},
                {"n_layer", config.layers},
                {"n_embd", config.d_model},
                {"n_head", config.heads},
                {"n_inner", config.feed_forward},
                {"n_positions", config.max_positions},
                {"vocab_size", words.size()},
                {"activation_function", name_of(config.activation)},
                {"layer_norm_epsilon", config.norm_epsilon},
                {"resid_pdrop", config.dropout},
                {"embd_pdrop", config.dropout},
                {"attn_pdrop", config.attention_dropout},
                {"tie_word_embeddings", tied},
                {"bos_token_id", words.bos()},
                {"eos_token_id", words.eos()},
                {"torch_dtype", "float32"}};
  save(out, folder);
  write_tokenizer(folder, words, config.max_positions, {});
}

}  // namespace attune::huggingface
