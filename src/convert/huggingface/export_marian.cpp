// attune's transformer as MarianMT.
#include <fmt/core.h>

#include <algorithm>

#include "config/rules.h"
#include "convert/huggingface/writer.h"
#include "io/files/file.h"

namespace attune::huggingface {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPad = "<pad>", kBlank = "▁";

void check_expressible(const TransformerConfig& config, const Vocabularies& words) {
  require_plain_blocks(config, "MarianMT");
  require_norm(config, NormPlace::post, "MarianMT");
  require(config.cross_visibility == "full", "cross_visibility", "MarianMT has full, not '{}'",
          config.cross_visibility);
  require(config.decoder().feed_forward_layers == 2, "decoder_feed_forward_layers", "MarianMT has 2");
  require(!config.embedding_norm, "embedding_norm", "MarianMT has none");
  require(config.norm_epsilon <= 1e-5, "norm_epsilon", "MarianMT has 1e-5, not {}", config.norm_epsilon);
  require(config.source_end, "source_end", "MarianMT reads </s> at the end of the source");
  constexpr PositionKind kKnown[] = {PositionKind::sinusoidal, PositionKind::sinusoidal_halves,
                                     PositionKind::sinusoidal_split, PositionKind::learned};
  require(std::ranges::find(kKnown, config.positions) != std::end(kKnown), "positions",
          "MarianMT has sinusoidal ones (all three) or learned ones, not '{}'",
          enum_names(config.positions)[static_cast<size_t>(config.positions)]);
  for (const Vocabulary* side : {words.source.get(), words.target.get()})
    require(std::string_view(side->file_ending()) == ".spm", "vocabularies",
            "MarianMT has SentencePiece models (vocab_kind: unigram or bpe)");
}

// One side's words: MarianMT needs a <pad>, which may have to be added behind them.
class Side {
 public:
  explicit Side(const Vocabulary& words) : words_(words), pad_(words.id(kPad).value_or(words.size())) {}

  int32_t pad() const { return pad_; }
  int32_t size() const { return std::max(words_.size(), pad_ + 1); }

  Json ids() const {
    Json list = Json::object();
    for (int32_t id = 0; id < words_.size(); ++id) {
      std::string piece = words_.piece(id);
      if (piece.starts_with(std::string(kBlank) + ">>") && piece.ends_with("<<"))
        piece.erase(0, kBlank.size());
      list[piece] = id;
    }
    list[std::string(kPad)] = pad_;
    return list;
  }

  // A table or a list with the row of <pad>, which is zeros.
  Tensor padded(const Tensor& tensor, bool zero_pad) const {
    const bool flat = tensor.shape().rank() == 1;
    const int64_t d = flat ? 1 : tensor.columns();
    Tensor all = Tensor::zeros(flat ? Shape{1, size()} : Shape{size(), d});
    std::ranges::copy(tensor.span<float>(), all.data<float>());
    if (zero_pad) std::fill_n(all.data<float>() + pad_ * d, d, 0.f);
    return all;
  }

 private:
  const Vocabulary& words_;
  int32_t pad_;
};

void add_positions(const TransformerConfig& config, const Parameters& ours, Written& out) {
  const auto table = [&](const char* stack) {
    if (config.positions == PositionKind::learned)
      return parameter(ours, fmt::format("{}.positions.weight", stack));
    const auto waves = config.positions == PositionKind::sinusoidal          ? sinusoidal_table
                       : config.positions == PositionKind::sinusoidal_halves ? sinusoidal_halves_table
                                                                             : sinusoidal_split_table;
    return waves(config.max_positions, config.d_model).to(DType::f32);
  };
  for (const char* stack : {"encoder", "decoder"})
    out.add(fmt::format("model.{}.embed_positions.weight", stack), table(stack));
}

}  // namespace

void write_marian(const ModelFiles& model, const std::filesystem::path& folder) {
  const auto config = config_of<TransformerConfig>(*model.config);
  const Parameters& ours = *model.parameters;
  check_expressible(config, model.vocabularies);
  const Side source(*model.vocabularies.source), target(*model.vocabularies.target);
  const bool shared = config.tied_embeddings;
  Written out;
  if (shared) {
    out.add("model.shared.weight", target.padded(parameter(ours, "source.weight"), config.zero_start));
  } else {
    out.add("model.encoder.embed_tokens.weight", source.padded(parameter(ours, "source.weight"), false));
    out.add("model.decoder.embed_tokens.weight",
            target.padded(parameter(ours, "target.weight"), config.zero_start));
  }
  if (!config.tied_output) out.add("lm_head.weight", target.padded(parameter(ours, "output.weight"), false));
  out.add("final_logits_bias", target.padded(parameter(ours, "output.bias"), false));
  add_positions(config, ours, out);
  out.add(marian_parts(config.encoder_layers, config.decoder_layers), ours, "model.");
  const Vocabulary& words = *model.vocabularies.target;
  out.config = {{"model_type", "marian"},
                {"architectures", {"MarianMTModel"}},
                {"is_encoder_decoder", true},
                {"encoder_layers", config.encoder_layers},
                {"decoder_layers", config.decoder_layers},
                {"d_model", config.d_model},
                {"encoder_attention_heads", config.heads},
                {"decoder_attention_heads", config.heads},
                {"encoder_ffn_dim", config.feed_forward},
                {"decoder_ffn_dim", config.decoder().feed_forward},
                {"activation_function", name_of(config.activation)},
                {"scale_embedding", config.scale_embeddings},
                {"static_position_embeddings", config.positions != PositionKind::learned},
                {"max_position_embeddings", config.max_positions},
                {"vocab_size", source.size()},
                {"decoder_vocab_size", target.size()},
                {"share_encoder_decoder_embeddings", shared},
                {"tie_word_embeddings", config.tied_output},
                {"normalize_before", false},
                {"normalize_embedding", false},
                {"add_final_layer_norm", false},
                {"dropout", config.dropout},
                {"attention_dropout", config.attention_dropout},
                {"activation_dropout", config.activation_dropout},
                {"pad_token_id", target.pad()},
                {"eos_token_id", words.eos()},
                {"forced_eos_token_id", words.eos()},
                {"decoder_start_token_id", config.zero_start ? target.pad() : words.bos()},
                {"bad_words_ids", Json::array({Json::array({target.pad()})})},
                {"max_length", std::min<int64_t>(512, config.max_positions)},
                {"num_beams", 4},
                {"torch_dtype", "float32"}};
  save(out, folder);
  write_file_atomically(folder / "source.spm", model.vocabularies.source->serialized());
  write_file_atomically(folder / "target.spm", model.vocabularies.target->serialized());
  write_file_atomically(folder / "vocab.json", (shared ? target : source).ids().dump(1) + "\n");
  if (!shared) write_file_atomically(folder / "target_vocab.json", target.ids().dump(1) + "\n");
  const Json tokenizer{{"tokenizer_class", "MarianTokenizer"},     {"separate_vocabs", !shared},
                       {"model_max_length", config.max_positions}, {"unk_token", words.piece(words.unk())},
                       {"eos_token", words.piece(words.eos())},    {"pad_token", kPad}};
  write_file_atomically(folder / "tokenizer_config.json", tokenizer.dump(2) + "\n");
}

}  // namespace attune::huggingface
