// Reads a Transformer from a CTranslate2 folder (binary version 2 and later).
#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "config/rules.h"
#include "convert/convert.h"
#include "convert/ctranslate2/file.h"
#include "convert/ctranslate2/names.h"
#include "convert/ctranslate2/vocabulary.h"
#include "models/blocks/transformer.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using ctranslate2::Model;

constexpr int64_t kPositions = 1024;  // if CTranslate2 has no table of positions
constexpr float kNever = -1e9f;       // logit of a token that CTranslate2's list does not have

// The settings in config.json; before version 6 they were among the variables.
struct Settings {
  SpecialTokens special;
  std::string start;  // the decoder's first token
  bool source_begin = false, source_end = false;
  double epsilon = 1e-5;
};

std::string text_of(const Model& model, std::string_view name, std::string otherwise) {
  const auto* found = model.find(name);
  if (found == nullptr) return otherwise;
  return {reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size()};
}

Settings read_settings(const Model& model, const fs::path& folder) {
  Settings settings;
  auto& [special, start, source_begin, source_end, epsilon] = settings;
  if (model.version < 6) {
    special.unk = text_of(model, "unk_token", special.unk);
    special.bos = text_of(model, "bos_token", special.bos);
    special.eos = text_of(model, "eos_token", special.eos);
    source_begin = model.number("with_source_bos").value_or(0) != 0;
    source_end = model.number("with_source_eos").value_or(0) != 0;
    start = model.number("with_target_bos").value_or(1) != 0 ? special.bos : special.eos;
    return settings;
  }
  const fs::path file = folder / "config.json";
  try {
    const auto config = nlohmann::json::parse(read_file(file));
    special.unk = config.value("unk_token", special.unk);
    special.bos = config.value("bos_token", special.bos);
    special.eos = config.value("eos_token", special.eos);
    source_begin = config.value("add_source_bos", false);
    source_end = config.value("add_source_eos", false);
    if (config.contains("decoder_start_token") && config["decoder_start_token"].is_string())
      start = config["decoder_start_token"].get<std::string>();
    if (config.contains("layer_norm_epsilon") && config["layer_norm_epsilon"].is_number())
      epsilon = config["layer_norm_epsilon"].get<double>();
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
  }
  return settings;
}

// A setting of the encoder or decoder; old revisions have one for both.
double setting(const Model& model, const std::string& stack, const std::string& name, double otherwise) {
  if (const auto own = model.number(stack + "/" + name)) return *own;
  return model.number(name).value_or(otherwise);
}

double common_setting(const Model& model, const std::string& name, double otherwise) {
  const double encoder = setting(model, "encoder", name, otherwise);
  require(encoder == setting(model, "decoder", name, otherwise), name,
          "encoder and decoder differ, which attune's transformer does not support");
  return encoder;
}

int64_t layers_of(const Model& model, const std::string& stack) {
  int64_t count = 0;
  while (model.find(fmt::format("{}/layer_{}/ffn/linear_0/weight", stack, count)) != nullptr) ++count;
  return count;
}

FeedForwardKind activation_of(const Model& model) {
  const auto code = static_cast<int>(common_setting(model, "activation", 0));
  const bool gated = model.find("encoder/layer_0/ffn/linear_0_noact/weight") != nullptr;
  require(
      code == 2 || (!gated && (code == 0 || code == 1 || code == 3)), "activation",
      "CTranslate2's activation {}{} is not supported; attune has relu, gelu, gelu_tanh, swish and swiglu",
      code, gated ? " with a gate" : "");
  if (code == 2) return gated ? FeedForwardKind::swiglu : FeedForwardKind::swish;
  if (code == 1) return FeedForwardKind::gelu_tanh;
  return code == 0 ? FeedForwardKind::relu : FeedForwardKind::gelu;
}

void refuse_what_attune_has_not(const Model& model, const Settings& settings) {
  require(!settings.source_begin, "add_source_bos", "attune does not support <s> before sources");
  for (const auto& [name, variable] : model.variables)
    for (const char* part :
         {"relative_position", "relative_attention", "layernorm_embedding", "project_in", "input_layer_norm",
          "shared_layer_norm", "num_heads_kv", "rotary_scaling", "q_norm", "embeddings_1", "scale_outputs"})
      require(name.find(part) == std::string::npos, name, "attune's transformer does not support it");
  require(model.number("decoder/alibi").value_or(0) == 0, "decoder/alibi",
          "attune supports alibi only on both sides");
}

std::string source_table(const Model& model) {
  const bool old = model.find("encoder/embeddings_0/weight") == nullptr;
  return old ? "encoder/embeddings/weight" : "encoder/embeddings_0/weight";
}

bool same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data<float>(), b.data<float>(), static_cast<size_t>(a.size()) * sizeof(float)) == 0;
}

// CTranslate2's positions if the file has no table: sines, then cosines, of
// (p + 1) 10000^(-i / (d/2 - 1))
Tensor default_positions(int64_t d) {
  const Tensor table({kPositions, d});
  const int64_t half = d / 2;
  for (int64_t p = 0; p < kPositions; ++p)
    for (int64_t i = 0; i < half; ++i) {
      const double turn = static_cast<double>(p + 1) *
                          std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half - 1));
      table.row<float>(p)[static_cast<size_t>(i)] = static_cast<float>(std::sin(turn));
      table.row<float>(p)[static_cast<size_t>(i + half)] = static_cast<float>(std::cos(turn));
    }
  return table;
}

Tensor positions_of(const Model& model, const std::string& stack, int64_t d) {
  const std::string name = stack + "/position_encodings/encodings";
  return model.find(name) != nullptr ? model.tensor(name) : default_positions(d);
}

// Reorders queries and keys: pairs of neighbours become pairs across the halves of a head; see rotary().
Tensor with_pairs_of_halves(const Tensor& qkv, int64_t heads) {
  const Tensor ordered = qkv.clone();
  const int64_t d = qkv.shape()[0] / 3, head = d / heads, columns = qkv.size() / qkv.shape()[0];
  for (int64_t r = 0; r < 2 * d; ++r) {
    const int64_t first = r - r % head, i = r % head;
    const int64_t from = first + (i < head / 2 ? 2 * i : 2 * (i - head / 2) + 1);
    std::copy_n(qkv.data<float>() + from * columns, columns, ordered.data<float>() + r * columns);
  }
  return ordered;
}

class Import {
 public:
  Import(Model model, const fs::path& folder)
      : model_(std::move(model)),
        settings_(read_settings(model_, folder)),
        source_(read_vocabulary(folder, "source", settings_.special)),
        target_(read_vocabulary(folder, "target", settings_.special)) {
    refuse_what_attune_has_not(model_, settings_);
    joint_ =
        has_shared_vocabulary(folder) && source_.vocabulary->serialized() == target_.vocabulary->serialized();
    read_config(fs::exists(folder / "source.spm"));
  }

  ImportedModel result() && {
    add_embeddings();
    add_positions();
    for (int64_t i = 0; i < config_.encoder_layers; ++i) add_layer(fmt::format("encoder.layer{}.", i), false);
    for (int64_t i = 0; i < config_.decoder_layers; ++i) add_layer(fmt::format("decoder.layer{}.", i), true);
    if (config_.norm == NormPlace::pre) {
      add_norm("encoder.");
      add_norm("decoder.");
    }
    return {config_as("transformer", config_),
            {source_.vocabulary, joint_ ? source_.vocabulary : target_.vocabulary},
            std::move(weights_)};
  }

 private:
  void read_config(bool sentencepiece) {
    const Tensor table = model_.tensor(source_table(model_));
    config_.encoder_layers = layers_of(model_, "encoder");
    config_.decoder_layers = layers_of(model_, "decoder");
    require(config_.encoder_layers > 0 && config_.decoder_layers > 0, "layers",
            "the file has {} of the encoder and {} of the decoder", config_.encoder_layers,
            config_.decoder_layers);
    config_.d_model = table.columns();
    config_.heads = static_cast<int64_t>(common_setting(model_, "num_heads", 8));
    config_.feed_forward = model_.tensor("encoder/layer_0/ffn/linear_0/weight").rows();
    config_.activation = activation_of(model_);
    config_.norm = common_setting(model_, "pre_norm", 1) != 0 ? NormPlace::pre : NormPlace::post;
    config_.norm_kind =
        model_.find("encoder/layer_0/ffn/layer_norm/beta") == nullptr ? NormKind::rms : NormKind::layer;
    config_.norm_epsilon = settings_.epsilon;
    config_.zero_start = model_.number("decoder/start_from_zero_embedding").value_or(0) != 0;
    config_.scale_embeddings = common_setting(model_, "scale_embeddings", 1) != 0;
    const auto scale = model_.number("decoder/layer_0/self_attention/queries_scale");
    require(!scale || *scale == 1, "queries_scale",
            "attune supports 1 (dot) and 1 / sqrt(d) (scaled_dot), not {}", scale.value_or(0));
    if (scale) config_.attention = "dot";
    config_.source_end = settings_.source_end || sentencepiece;
    config_.dropout = 0;
    const Tensor target = model_.tensor("decoder/embeddings/weight");
    config_.tied_embeddings = joint_ && same(table, target);
    config_.tied_output = same(target, model_.tensor("decoder/projection/weight"));
    read_positions();
  }

  void read_positions() {
    const auto rotary = model_.number("decoder/layer_0/self_attention/rotary_dim");
    if (rotary) {
      require(*rotary == 0 || static_cast<int64_t>(*rotary) == config_.d_model / config_.heads, "rotary_dim",
              "attune rotates whole heads, not {} dimensions of them", *rotary);
      config_.rotary_base = model_.number("decoder/layer_0/self_attention/rotary_base").value_or(10000);
      interleaved_ = model_.number("decoder/layer_0/self_attention/rotary_interleave").value_or(1) != 0;
      config_.positions = PositionKind::rotary;
      config_.max_positions = kPositions;
      return;
    }
    const Tensor encoder = positions_of(model_, "encoder", config_.d_model),
                 decoder = positions_of(model_, "decoder", config_.d_model);
    config_.max_positions = std::min(encoder.rows(), decoder.rows());
    const auto both_are = [&](Tensor (*table)(int64_t, int64_t)) {
      return config_.d_model % 2 == 0 && same(encoder, decoder) &&
             same(encoder, table(encoder.rows(), config_.d_model).to(DType::f32));
    };
    config_.positions = both_are(sinusoidal_table)          ? PositionKind::sinusoidal
                        : both_are(sinusoidal_halves_table) ? PositionKind::sinusoidal_halves
                        : both_are(sinusoidal_split_table)  ? PositionKind::sinusoidal_split
                                                            : PositionKind::learned;  // any table
  }

  void add_embeddings() {
    weights_["source.weight"] = source_.reordered(model_.tensor(source_table(model_)), 0);
    const Tensor target = target_.reordered(model_.tensor("decoder/embeddings/weight"), 0);
    begin_with_start(config_.tied_embeddings ? weights_["source.weight"] : target);
    if (!config_.tied_embeddings) weights_["target.weight"] = target;
    const Tensor output = model_.tensor("decoder/projection/weight");
    if (!config_.tied_output) weights_["output.weight"] = target_.reordered(output, 0);
    const auto* bias = model_.find("decoder/projection/bias");
    weights_["output.bias"] = target_.reordered(
        bias != nullptr ? model_.tensor("decoder/projection/bias") : Tensor::zeros({output.rows()}), kNever);
  }

  // attune's decoder begins with <s>, which it never writes: give it the vector of CTranslate2's start token.
  void begin_with_start(const Tensor& table) const {
    const Vocabulary& words = *target_.vocabulary;
    if (config_.zero_start || settings_.start == words.piece(words.bos())) return;
    const int64_t row = target_.row_of(settings_.start);
    require(row >= 0, "decoder_start_token", "the vocabulary has no '{}'", settings_.start);
    require(words.bos() != words.eos() || settings_.start == settings_.special.eos, "decoder_start_token",
            "the vocabulary has no <s> that could take the place of '{}'", settings_.start);
    if (row == target_.rows[static_cast<size_t>(words.bos())]) return;
    const Tensor all = model_.tensor("decoder/embeddings/weight");
    std::ranges::copy(all.row<float>(row), table.row<float>(words.bos()).begin());
  }

  void add_positions() {
    if (config_.positions != PositionKind::learned) return;
    for (const std::string stack : {"encoder", "decoder"})
      weights_[stack + ".positions.weight"] =
          positions_of(model_, stack, config_.d_model).view_rows(0, config_.max_positions).clone();
  }

  Tensor& add(const std::string& name) {
    return weights_[name] = model_.tensor(ctranslate2_name(name, config_.activation));
  }

  void add_norm(const std::string& owner) {
    add(owner + "norm.gamma");
    if (config_.norm_kind == NormKind::layer) add(owner + "norm.beta");
  }

  // A bias that is not in the file is zero.
  void add_linear(const std::string& name) {
    const int64_t out = add(name + ".weight").rows();
    const bool there = model_.find(ctranslate2_name(name + ".bias", config_.activation)) != nullptr;
    if (there)
      add(name + ".bias");
    else
      weights_[name + ".bias"] = Tensor::zeros({out});
  }

  void add_layer(const std::string& layer, bool cross) {
    add_linear(layer + "self.qkv");
    if (interleaved_)
      for (const char* part : {"self.qkv.weight", "self.qkv.bias"})
        weights_[layer + part] = with_pairs_of_halves(weights_[layer + part], config_.heads);
    add_linear(layer + "self.out");
    add_norm(layer + "self.");
    if (cross) {
      for (const char* part : {"cross.q", "cross.kv", "cross.out"}) add_linear(layer + part);
      add_norm(layer + "cross.");
    }
    if (config_.activation == FeedForwardKind::swiglu) {  // attune's has no biases
      for (const char* part : {"in", "gate", "out"}) {
        add(layer + "feed_forward." + part + ".weight");
        const std::string bias =
            ctranslate2_name(layer + "feed_forward." + part + ".bias", config_.activation);
        require(model_.find(bias) == nullptr, bias, "attune's swiglu has no biases");
      }
    } else {
      add_linear(layer + "feed_forward.in");
      add_linear(layer + "feed_forward.out");
    }
    add_norm(layer + "feed_forward.");
  }

  Model model_;
  Settings settings_;
  ImportedVocabulary source_, target_;
  bool joint_ = false, interleaved_ = false;
  TransformerConfig config_;
  std::map<std::string, Tensor, std::less<>> weights_;
};

ImportedModel read(const ImportSource& source) {
  const fs::path& folder = source.path;
  Model model = ctranslate2::read_model(folder / "model.bin");
  require(model.specification.starts_with("Transformer") &&
              !model.specification.starts_with("TransformerDecoder") &&
              !model.specification.starts_with("TransformerEncoder"),
          "specification", "attune reads only encoder-decoder Transformers, not '{}'", model.specification);
  require(model.revision >= 2, "revision", "attune reads revision 2 and later, not {}", model.revision);
  return Import(std::move(model), folder).result();
}

bool recognises(const fs::path& path) { return fs::exists(path / "model.bin"); }

const RegisterImporter registered{
    {"ctranslate2", "a CTranslate2 folder (model.bin, a Transformer)", recognises, read}};

}  // namespace
}  // namespace attune
