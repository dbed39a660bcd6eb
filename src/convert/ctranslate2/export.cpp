// Writes a Transformer as a CTranslate2 folder: config.json, model.bin, the vocabulary as a list of tokens,
// and source.spm and target.spm for SentencePiece.
#include <cmath>
#include <nlohmann/json.hpp>

#include "config/rules.h"
#include "convert/convert.h"
#include "convert/ctranslate2/file.h"
#include "convert/ctranslate2/names.h"
#include "io/files/directory.h"
#include "models/blocks/transformer.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using ctranslate2::scalar;
using Json = nlohmann::ordered_json;

constexpr const char* kSpecification = "TransformerSpec";
constexpr uint32_t kRevision = 7;

void check_expressible(const ModelFiles& folder, const TransformerConfig& config) {
  require(config.attention == "scaled_dot" || config.attention == "dot", "attention",
          "CTranslate2 supports scaled_dot and dot, not '{}'", config.attention);
  constexpr PositionKind kKnown[] = {PositionKind::none,
                                     PositionKind::sinusoidal,
                                     PositionKind::sinusoidal_halves,
                                     PositionKind::sinusoidal_split,
                                     PositionKind::learned,
                                     PositionKind::rotary};
  require(std::ranges::find(kKnown, config.positions) != std::end(kKnown), "positions",
          "CTranslate2 supports none, sinusoidal (all three), learned and rotary in encoders, not '{}'",
          enum_names(config.positions)[static_cast<size_t>(config.positions)]);
  require(config.visibility == "full", "visibility", "CTranslate2 supports full, not '{}'",
          config.visibility);
  require(config.cross_visibility == "full", "cross_visibility", "CTranslate2 supports full, not '{}'",
          config.cross_visibility);
  require(config.rotary_stretch == 1, "rotary_stretch", "attune writes CTranslate2 folders without it");
  require(config.shared_heads() == config.heads, "key_heads", "attune writes CTranslate2 folders without it");
  require(config.norm != NormPlace::none, "norm", "CTranslate2 supports post and pre, not none");
  require(config.step_norm, "step_norm", "CTranslate2 always normalises earlier words; set it to true");
  require(config.has_usual_layers(), "model",
          "CTranslate2 has no head_size, value_size, last_heads, projections: false, attention_activation, "
          "feed_forward: 0 or activation: conv");
  require(config.residual, "residual", "CTranslate2 has residual connections everywhere");
  require(config.feed_forward_layers == 2 && config.decoder().feed_forward_layers == 2, "feed_forward_layers",
          "CTranslate2 has 2");
  require(!config.embedding_norm && config.ends_with_norm() == (config.norm == NormPlace::pre), "final_norm",
          "CTranslate2 has a norm after the last layer with norm: pre only, and none before the first");
  require(config.source_end || folder.vocabularies.source->is_listed(), "source_end",
          "programs that use a CTranslate2 folder with source.spm add </s> to the source; this model needs a "
          "source without it");
  const Vocabulary &source = *folder.vocabularies.source, &target = *folder.vocabularies.target;
  for (const Vocabulary* side : {&source, &target})
    require(
        std::string_view(side->file_ending()) != ".json" && side->vectors() == nullptr && !side->several(),
        "vocabularies",
        "CTranslate2 folders have SentencePiece models or lists of words, not tokenizers of Hugging Face");
  require(source.piece(source.eos()) == target.piece(target.eos()) &&
              source.piece(source.unk()) == target.piece(target.unk()),
          "vocabularies", "CTranslate2 needs the same names for <unk> and </s> on both sides");
}

// Rows as 8-bit numbers:  q_ij = round(w_ij s_i),  s_i = 127 / max_j |w_ij|
std::pair<Tensor, Tensor> quantized(const Tensor& weight) {
  const Tensor numbers(weight.shape(), DType::i8), scales({weight.rows()});
  for (int64_t r = 0; r < weight.rows(); ++r) {
    float largest = 0;
    for (const float x : weight.row<float>(r)) largest = std::max(largest, std::abs(x));
    const float scale = 127.f / (largest == 0 ? 127.f : largest);
    scales.data<float>()[r] = scale;
    for (int64_t i = 0; i < weight.columns(); ++i)
      numbers.row<int8_t>(r)[static_cast<size_t>(i)] =
          static_cast<int8_t>(std::nearbyint(weight.row<float>(r)[static_cast<size_t>(i)] * scale));
  }
  return {numbers, scales};
}

void add(ctranslate2::Variables& to, const std::string& name, const Tensor& tensor, FileNumbers precision) {
  require(tensor.dtype() == DType::f32, name,
          "its numbers have type {}; convert the model that it was quantised from",
          attune::name(tensor.dtype()));
  if (precision == FileNumbers::f32 || !name.ends_with("weight")) {
    to[name] = ctranslate2::variable_of(tensor);
    return;
  }
  const auto [numbers, scales] = quantized(tensor);
  to[name] = ctranslate2::variable_of(numbers);
  to[name + "_scale"] = ctranslate2::variable_of(scales);
}

int8_t activation_of(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::conv:  // check_expressible refuses it
    case FeedForwardKind::relu: return 0;
    case FeedForwardKind::swish:
    case FeedForwardKind::swiglu: return 2;
    case FeedForwardKind::gelu_tanh: return 1;
    case FeedForwardKind::gelu: break;
  }
  return 3;
}

// The settings that accompany the weights of the encoder or decoder.
void add_settings(ctranslate2::Variables& to, const std::string& stack, const TransformerConfig& config) {
  to[stack + "num_heads"] = scalar(static_cast<int16_t>(config.heads));
  to[stack + "pre_norm"] = scalar(static_cast<int8_t>(config.norm == NormPlace::pre));
  to[stack + "activation"] = scalar(activation_of(config.activation));
  to[stack + "scale_embeddings"] = scalar(static_cast<int8_t>(config.scale_embeddings));
  const std::string encodings = stack + "position_encodings/encodings";
  // Without a table, CTranslate2 uses sines of other frequencies, from position 1.
  if (config.positions == PositionKind::sinusoidal)
    to[encodings] =
        ctranslate2::variable_of(sinusoidal_table(config.max_positions, config.d_model).to(DType::f32));
  if (config.positions == PositionKind::sinusoidal_halves)
    to[encodings] = ctranslate2::variable_of(
        sinusoidal_halves_table(config.max_positions, config.d_model).to(DType::f32));
  if (config.positions == PositionKind::sinusoidal_split)
    to[encodings] =
        ctranslate2::variable_of(sinusoidal_split_table(config.max_positions, config.d_model).to(DType::f32));
  if (config.positions == PositionKind::none)
    to[encodings] = ctranslate2::variable_of(Tensor::zeros({config.max_positions, config.d_model}));
}

void add_layer_settings(ctranslate2::Variables& to, const std::string& layer, bool decoder,
                        const TransformerConfig& config) {
  const std::string self = layer + "self_attention/";
  if (config.attention == "dot") {
    to[self + "queries_scale"] = scalar(1.f);
    if (decoder) to[layer + "attention/queries_scale"] = scalar(1.f);
  }
  if (config.positions != PositionKind::rotary) return;
  to[self + "rotary_dim"] = scalar(int32_t{0});  // the whole head
  to[self + "rotary_interleave"] = scalar(int8_t{0});
  to[self + "rotary_base"] = scalar(static_cast<float>(config.rotary_base));
}

ctranslate2::Model model_of(const ModelFiles& folder, const TransformerConfig& config,
                            FileNumbers precision) {
  ctranslate2::Model model{
      .specification = kSpecification, .revision = kRevision, .variables = {}, .aliases = {}};
  for (const auto& [name, tensor, offset] : folder.parameters->entries())
    add(model.variables, ctranslate2_name(name, config.activation), tensor, precision);
  add_settings(model.variables, "encoder/", config);
  add_settings(model.variables, "decoder/", config);
  for (int64_t i = 0; i < config.encoder_layers; ++i)
    add_layer_settings(model.variables, fmt::format("encoder/layer_{}/", i), false, config);
  for (int64_t i = 0; i < config.decoder_layers; ++i)
    add_layer_settings(model.variables, fmt::format("decoder/layer_{}/", i), true, config);
  model.variables["encoder/embeddings_merge"] = scalar(int8_t{0});
  model.variables["decoder/start_from_zero_embedding"] = scalar(static_cast<int8_t>(config.zero_start));
  model.variables["decoder/alignment_layer"] =  // the second-to-last, as in attune
      scalar(static_cast<int16_t>(std::max<int64_t>(0, config.decoder_layers - 2)));
  model.variables["decoder/alignment_heads"] = scalar(static_cast<int16_t>(config.heads));
  const std::string source = "encoder/embeddings_0/weight", target = "decoder/embeddings/weight";
  if (config.tied_embeddings) model.aliases[target] = source;
  if (config.tied_output)
    model.aliases["decoder/projection/weight"] = config.tied_embeddings ? source : target;
  return model;
}

std::string list_of_tokens(const Vocabulary& vocabulary) {
  Json tokens = Json::array();
  for (int32_t i = 0; i < vocabulary.size(); ++i) tokens.push_back(vocabulary.piece(i));
  return tokens.dump(1) + "\n";
}

void write(const ModelFiles& folder, const fs::path& path, FileNumbers precision) {
  require(folder.config->type() == "transformer", "type",
          "only models of type transformer can be converted to CTranslate2, not {}", folder.config->type());
  const auto config = config_of<TransformerConfig>(*folder.config);
  check_expressible(folder, config);
  const Vocabulary &source = *folder.vocabularies.source, &target = *folder.vocabularies.target;
  AtomicDirectory out(path);
  ctranslate2::write_model(out.path() / "model.bin", model_of(folder, config, precision));
  // With source.spm, CTranslate2's input tokens already end with </s>; otherwise it adds it.
  const Json about{{"unk_token", target.piece(target.unk())},
                   {"bos_token", target.piece(target.bos())},
                   {"eos_token", target.piece(target.eos())},
                   {"decoder_start_token", target.piece(target.bos())},
                   {"add_source_bos", false},
                   {"add_source_eos", config.source_end && source.is_listed()},
                   {"layer_norm_epsilon", config.norm_epsilon},
                   {"multi_query_attention", false}};
  write_file_atomically(out.path() / "config.json", about.dump(2) + "\n");
  if (folder.vocabularies.joint()) {
    write_file_atomically(out.path() / "shared_vocabulary.json", list_of_tokens(source));
  } else {
    write_file_atomically(out.path() / "source_vocabulary.json", list_of_tokens(source));
    write_file_atomically(out.path() / "target_vocabulary.json", list_of_tokens(target));
  }
  if (!source.is_listed()) write_file_atomically(out.path() / "source.spm", source.serialized());
  if (!target.is_listed()) write_file_atomically(out.path() / "target.spm", target.serialized());
  out.commit();
}

const RegisterExporter registered{{"ctranslate2", "a CTranslate2 folder", write}};

}  // namespace
}  // namespace attune
