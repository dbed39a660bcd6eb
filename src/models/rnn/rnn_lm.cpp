#include "models/rnn/rnn_lm.h"

#include "config/rules.h"
#include "models/prompt.h"

namespace attune {
namespace {

const RegisterModel<RnnLmConfig, RnnLm> registered("rnn_lm");

struct State final : DecoderState {
  Ragged prompt;                   // not yet read
  std::vector<CellStates> layers;  // [sentences, h]; empty at first

  explicit State(Ragged unread) : prompt(std::move(unread)) {}
  std::unique_ptr<DecoderState> select(std::span<const int64_t> sentences) const override {
    auto chosen = std::make_unique<State>(take_sentences(prompt, sentences));
    for (const CellStates& layer : layers) chosen->layers.push_back(take_rows(layer, sentences));
    return chosen;
  }
};

}  // namespace

void RnnLmConfig::fields(FieldsOf<RnnLmConfig> f) {
  f("cell", &RnnLmConfig::cell, "recurrent cell");
  f("embedding", &RnnLmConfig::embedding, "size of word vectors");
  f("hidden", &RnnLmConfig::hidden, "size of the states");
  f("layers", &RnnLmConfig::layers, "recurrent layers");
  f("dropout", &RnnLmConfig::dropout, "dropout of embeddings, between layers and before the output");
  f("residual", &RnnLmConfig::residual, "add the input of a layer to its output, from the second layer on");
  f("tied_output", &RnnLmConfig::tied_output, "the output layer uses the embeddings");
  f("tagger", &RnnLmConfig::tagger, "answer each word with a tag instead of the next word");
  f("bidirectional", &RnnLmConfig::bidirectional, "tagger: read the text in both directions");
}

Entries RnnLmConfig::of_size(Size size) {
  struct Numbers {
    int64_t embedding, hidden, layers;
  };
  static constexpr Numbers kNumbers[] = {{128, 192, 1}, {256, 384, 2}, {512, 768, 2}, {512, 1024, 3}};
  const Numbers& n = kNumbers[static_cast<size_t>(size)];
  return {entry("embedding", n.embedding), entry("hidden", n.hidden), entry("layers", n.layers)};
}

void RnnLmConfig::validate() const {
  require_positive({{"embedding", embedding}, {"hidden", hidden}, {"layers", layers}});
  require_at_most(kMostNumbers, {{"embedding", embedding}, {"hidden", hidden}});
  require_at_most(kMostLayers, {{"layers", layers}});
  require_share("dropout", dropout);
  require(!tied_output || embedding == hidden, "tied_output",
          "it needs states and word vectors of equal size, not {} and {}", hidden, embedding);
  require(!bidirectional || tagger, "bidirectional",
          "it is for a tagger; a language model has not read what follows");
  require(!tied_output || !tagger, "tied_output", "a tagger's output words differ from its input words");
}

RnnLm::RnnLm(const Scope& p, const RnnLmConfig& config, const Words& words)
    : dropout_(config.dropout),
      words_(p / "words", words.source, config.embedding),
      layers_(p, config.cell, config.bidirectional ? 0 : config.layers, config.embedding, config.hidden,
              config.residual),
      output_weight_(config.tied_output
                         ? words_.weight
                         : (p / "output")
                               .param("weight",
                                      {words.target, config.hidden * (config.bidirectional ? 2 : 1)},
                                      glorot())),
      output_bias_((p / "output").param("bias", {words.target}, zeros())) {
  require_words("rnn_lm", words);
  require_joint("tagger", !config.tagger, words);
  if (!config.bidirectional) return;
  RnnConfig both;
  both.cell = config.cell;
  both.embedding = config.embedding;
  both.hidden = config.hidden;
  both.encoder_layers = config.layers;
  both.residual = config.residual;
  both.dropout = config.dropout;
  both_ways_.emplace(p / "both_ways", both);
}

std::unique_ptr<DecoderState> RnnLm::start(const Ragged& prompt, Pass&) const {
  return std::make_unique<State>(prompt);
}

Tensor RnnLm::step(const Ragged& tokens, DecoderState& decoder_state, Pass& pass) const {
  auto& state = dynamic_cast<State&>(decoder_state);
  const Prompted read = prompted(state.prompt, tokens);
  state.prompt = empty_sentences(tokens.rows.count());  // it has been read
  const Tensor x = dropout(words_(read.text.ids), pass.dropout(dropout_));
  const Tensor h = both_ways_ ? (*both_ways_)(x, read.text.rows, pass).states
                              : layers_(x, read.text.rows, state.layers, dropout_, pass);
  return dropout(written_rows(h, read), pass.dropout(dropout_));
}

}  // namespace attune
