#include "models/blocks/gpt.h"

#include "config/rules.h"
#include "models/prompt.h"

namespace attune {
namespace {

const RegisterModel<GptConfig, Gpt> registered("gpt");

struct State final : DecoderState {
  Ragged prompt;  // not yet read
  StackState decoder;

  State(Ragged unread, StackState state) : prompt(std::move(unread)), decoder(std::move(state)) {}
  std::unique_ptr<DecoderState> select(std::span<const int64_t> sentences) const override {
    return std::make_unique<State>(take_sentences(prompt, sentences), decoder.select(sentences));
  }
};

}  // namespace

GptConfig::GptConfig() {
  activation = FeedForwardKind::gelu;
  norm = NormPlace::pre;
  positions = PositionKind::learned;
}

void GptConfig::fields(FieldsOf<GptConfig> f) {
  f("layers", &GptConfig::layers, "layers");
  BlockConfig::fields(f);
  f("tied_output", &GptConfig::tied_output, "the output layer uses the embeddings");
  f("output_bias", &GptConfig::output_bias, "the output layer has a bias; GPT-2 and Llama have none");
}

Entries GptConfig::of_size(Size size) {
  Entries entries = BlockConfig::of_size(size);
  entries.push_back(entry("layers", block_size(size).layers));
  return entries;
}

void GptConfig::validate() const {
  require_positive({{"layers", layers}});
  require_at_most(kMostLayers, {{"layers", layers}});
  require(visibility != "edges", "visibility", "'edges' is for models that read a source of graphs");
  BlockConfig::validate();
  require_score_of_steps(attention);
}

Gpt::Gpt(const Scope& p, const GptConfig& config, const Words& words)
    : embedding_scale_(config.embedding_scale()),
      words_(p / "words", words.target, config.d_model),
      decoder_(p / "decoder", config, {AttentionName::decoder, config.layers, kCausal}),
      output_weight_(config.tied_output
                         ? words_.weight
                         : (p / "output").param("weight", {words.target, config.d_model}, glorot())),
      output_bias_(config.output_bias ? (p / "output").param("bias", {words.target}, zeros())
                                      : Tensor::zeros({words.target}, p.dtype())) {
  require_words("gpt", words);
  require_joint("type", true, words);
}

std::unique_ptr<DecoderState> Gpt::start(const Ragged& prompt, Pass&) const {
  return std::make_unique<State>(prompt, decoder_.start(prompt.rows.count()));
}

Tensor Gpt::step(const Ragged& tokens, DecoderState& decoder_state, Pass& pass) const {
  auto& state = dynamic_cast<State&>(decoder_state);
  const Prompted read = prompted(state.prompt, tokens);
  state.prompt = empty_sentences(tokens.rows.count());  // it has been read
  const Tensor all = decoder_(words_(read.text.ids, embedding_scale_), read.text.rows, state.decoder, pass);
  return written_rows(all, read);
}

}  // namespace attune
