#include "models/blocks/transformer.h"

#include <algorithm>

#include "config/rules.h"
#include "nn/attention/visibility.h"

namespace attune {
namespace {

const RegisterModel<TransformerConfig, Transformer> registered("transformer");

struct State final : DecoderState {
  StackState decoder;

  explicit State(StackState state) : decoder(std::move(state)) {}
  std::unique_ptr<DecoderState> select(std::span<const int64_t> sentences) const override {
    return std::make_unique<State>(decoder.select(sentences));
  }
};

// Every sentence without its last token.
Ragged without_end(const Ragged& source) {
  std::vector<std::vector<int32_t>> sentences;
  for (int64_t s = 0; s < source.rows.count(); ++s) {
    const int32_t* first = source.ids.data<int32_t>() + source.rows.begin(s);
    sentences.emplace_back(first, first + std::max<int64_t>(0, source.rows.length(s) - 1));
  }
  return ragged(sentences);
}

}  // namespace

void TransformerConfig::fields(FieldsOf<TransformerConfig> f) {
  f("encoder_layers", &TransformerConfig::encoder_layers, "layers of the encoder");
  f("decoder_layers", &TransformerConfig::decoder_layers, "layers of the decoder");
  BlockConfig::fields(f);
  f("cross_visibility", &TransformerConfig::cross_visibility,
    "which source tokens a target token sees (full, local-m, local-p)");
  f("decoder_feed_forward", &TransformerConfig::decoder_feed_forward,
    "feed_forward of the decoder; 0: as in the encoder");
  f("decoder_feed_forward_layers", &TransformerConfig::decoder_feed_forward_layers,
    "feed_forward_layers of the decoder; 0: as in the encoder");
  f("embedding_norm", &TransformerConfig::embedding_norm, "a norm before the first layer");
  f("tied_embeddings", &TransformerConfig::tied_embeddings, "source and target share their embeddings");
  f("tied_output", &TransformerConfig::tied_output, "the output layer uses the target embeddings");
  f("source_end", &TransformerConfig::source_end, "the encoder reads a </s> at the end of the source");
  f("zero_start", &TransformerConfig::zero_start,
    "the decoder begins with a vector of zeros instead of that of <s>");
  f("step_norm", &TransformerConfig::step_norm,
    "norm: pre: normalise earlier words when translating, as in training; false: as in Marian's decoder");
}

Entries TransformerConfig::of_size(Size size) {
  Entries entries = BlockConfig::of_size(size);
  const int64_t layers = block_size(size).layers;
  entries.push_back(entry("encoder_layers", layers));
  entries.push_back(entry("decoder_layers", layers));
  entries.push_back(entry("norm", "pre"));  // learns without a long warmup (Xiong et al. 2020)
  return entries;
}

void TransformerConfig::validate() const {
  require_positive({{"encoder_layers", encoder_layers}, {"decoder_layers", decoder_layers}});
  require_at_most(kMostLayers, {{"encoder_layers", encoder_layers}, {"decoder_layers", decoder_layers}});
  require_not_negative({{"decoder_feed_forward", decoder_feed_forward},
                        {"decoder_feed_forward_layers", decoder_feed_forward_layers}});
  BlockConfig::validate();
  require_score_of_steps(attention);
  require_visibility("cross_visibility", cross_visibility, &VisibilityTraits::cross, "window", window);
  decoder().validate();
}

BlockConfig TransformerConfig::decoder() const {
  BlockConfig config = *this;
  if (visibility == "edges") {  // of the source
    config.visibility = "full";
    config.edge_kinds = 0;
  }
  if (decoder_feed_forward > 0) config.feed_forward = decoder_feed_forward;
  if (decoder_feed_forward_layers > 0) config.feed_forward_layers = decoder_feed_forward_layers;
  return config;
}

AttentionName TransformerConfig::guided_attention() const {
  return {AttentionName::decoder, std::max<int64_t>(0, decoder_layers - 2), AttentionName::cross};
}

Transformer::Transformer(const Scope& p, const TransformerConfig& config, const Words& words)
    : source_end_(config.source_end),
      zero_start_(config.zero_start),
      embedding_scale_(config.embedding_scale()),
      source_(p / "source", words.sources(), config.d_model, config.convolution),
      target_(config.tied_embeddings && !words.vectors
                  ? source_.words()
                  : Embedding(p / "target", words.target, config.d_model)),
      encoder_(p / "encoder", config,
               {.name = AttentionName::encoder,
                .layers = config.encoder_layers,
                .norm_first = config.embedding_norm,
                .places = words.places}),
      decoder_(p / "decoder", config.decoder(),
               {.name = AttentionName::decoder,
                .layers = config.decoder_layers,
                .sees = kCausal,
                .cross = config.cross_visibility,
                .norm_first = config.embedding_norm,
                .plain_past = !config.step_norm && config.norm == NormPlace::pre}),
      output_weight_(config.tied_output
                         ? target_.weight
                         : (p / "output").param("weight", {words.target, config.d_model}, glorot())),
      output_bias_((p / "output").param("bias", {words.target}, zeros())) {
  require_joint("tied_embeddings", config.tied_embeddings, words);
}

std::unique_ptr<DecoderState> Transformer::start(const Ragged& given, Pass& pass) const {
  const Ragged source = source_end_ || !given.has_words() ? given : without_end(given);
  StackState reading = encoder_.start(source);
  const Tensor memory = encoder_(source_(source, embedding_scale_), source.rows, reading, pass);
  return std::make_unique<State>(decoder_.start(memory, source.rows));
}

Tensor Transformer::step(const Ragged& tokens, DecoderState& state, Pass& pass) const {
  StackState& decoder = dynamic_cast<State&>(state).decoder;
  const Tensor ids = zero_start_ ? without_first(tokens, decoder.seen) : tokens.ids;
  return decoder_(target_(ids, embedding_scale_), tokens.rows, decoder, pass);
}

}  // namespace attune
