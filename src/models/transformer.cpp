#include "models/transformer.h"

#include <algorithm>

#include "config/rules.h"

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

}  // namespace

void TransformerConfig::fields(Fields& f) {
  f("encoder_layers", encoder_layers, "layers of the encoder");
  f("decoder_layers", decoder_layers, "layers of the decoder");
  BlockConfig::fields(f);
  f("tied_embeddings", tied_embeddings, "source and target share their embeddings");
  f("tied_output", tied_output, "the output layer uses the target embeddings");
}

void TransformerConfig::validate() const {
  require_positive({{"encoder_layers", encoder_layers}, {"decoder_layers", decoder_layers}});
  BlockConfig::validate();
}

std::string TransformerConfig::guided_attention() const {
  return "decoder." + std::to_string(std::max<int64_t>(0, decoder_layers - 2)) + ".cross";
}

Transformer::Transformer(const Scope& p, const TransformerConfig& config, const Words& words)
    : embedding_scale_(config.embedding_scale()),
      source_(p / "source", words.source, config.d_model),
      target_(config.tied_embeddings ? source_ : Embedding(p / "target", words.target, config.d_model)),
      encoder_(p / "encoder", config, {"encoder", config.encoder_layers, false, false}),
      decoder_(p / "decoder", config, {"decoder", config.decoder_layers, true, true}),
      output_weight_(config.tied_output
                         ? target_.weight
                         : (p / "output").param("weight", {words.target, config.d_model}, glorot())),
      output_bias_((p / "output").param("bias", {words.target}, zeros())) {
  require_joint("tied_embeddings", config.tied_embeddings, words);
}

std::unique_ptr<DecoderState> Transformer::start(const Ragged& source, Pass& pass) const {
  StackState reading = encoder_.start(source.rows.count());
  const Tensor memory = encoder_(source_(source.ids, embedding_scale_), source.rows, reading, pass);
  return std::make_unique<State>(decoder_.start(memory, source.rows));
}

Tensor Transformer::step(const Ragged& tokens, DecoderState& state, Pass& pass) const {
  return decoder_(target_(tokens.ids, embedding_scale_), tokens.rows, dynamic_cast<State&>(state).decoder,
                  pass);
}

}  // namespace attune
