#include "models/rnn/rnn_config.h"

#include "config/rules.h"
#include "models/model_config.h"
#include "nn/attention/visibility.h"

namespace attune {

std::span<const char* const> enum_names(Cell) {
  static constexpr const char* kWords[] = {"rnn", "gru", "lstm"};
  return kWords;
}
std::span<const char* const> enum_names(Wiring) {
  static constexpr const char* kWords[] = {"bahdanau", "luong", "previous"};
  return kWords;
}
std::span<const char* const> enum_names(InputFeeding) {
  static constexpr const char* kWords[] = {"false", "true", "context"};
  return kWords;
}
std::span<const char* const> enum_names(FixedVector) {
  static constexpr const char* kWords[] = {"initial", "every_step"};
  return kWords;
}

void RnnConfig::fields(FieldsOf<RnnConfig> f) {
  f("cell", &RnnConfig::cell, "recurrent cell");
  f("embedding", &RnnConfig::embedding, "size of word vectors");
  f("hidden", &RnnConfig::hidden, "size of the decoder's states, and of the encoder's in each direction");
  f("encoder_hidden", &RnnConfig::encoder_hidden,
    "size of the encoder's states in each direction; 0: hidden");
  f("encoder_layers", &RnnConfig::encoder_layers, "recurrent layers of the encoder");
  f("decoder_layers", &RnnConfig::decoder_layers, "recurrent layers of the decoder");
  f("bidirectional", &RnnConfig::bidirectional, "read the source in both directions");
  f("reverse_source", &RnnConfig::reverse_source, "read the source from its end (Sutskever et al. 2014)");
  f("attention", &RnnConfig::attention, "attention score (additive, dot, ...), or none");
  f("attention_hidden", &RnnConfig::attention_hidden, "size of the score's hidden layer; 0: hidden");
  f("visibility", &RnnConfig::visibility, "which source tokens the decoder sees (full, local-m, local-p)");
  f("window", &RnnConfig::window, "local-m, local-p: how many tokens before and after the centre it sees");
  f("wiring", &RnnConfig::wiring,
    "where the context enters the decoder: bahdanau, luong, or previous: found by the previous state, it "
    "only "
    "enters the output");
  f("input_feeding", &RnnConfig::input_feeding,
    "luong: feed the attentional vector of the previous step to the state (true), or its context");
  f("fixed_vector", &RnnConfig::fixed_vector, "attention none: how the decoder uses the source");
  f("dropout", &RnnConfig::dropout, "dropout of embeddings and between layers");
  f("residual", &RnnConfig::residual, "add the input of a layer to its output, from the second layer on");
  f("convolution", &RnnConfig::convolution,
    "sources of vectors: how many neighbouring rows are read together, an odd number; 1: each by itself");
  f("tied_embeddings", &RnnConfig::tied_embeddings, "source and target share their embeddings");
  f("tied_output", &RnnConfig::tied_output, "the output layer uses the target embeddings");
}

Entries RnnConfig::of_size(Size size) {
  struct Numbers {
    int64_t embedding, hidden, layers;
  };
  static constexpr Numbers kNumbers[] = {{128, 192, 1}, {256, 384, 1}, {512, 768, 2}, {512, 1024, 3}};
  const Numbers& n = kNumbers[static_cast<size_t>(size)];
  return {entry("embedding", n.embedding), entry("hidden", n.hidden), entry("encoder_hidden", n.hidden / 2),
          entry("encoder_layers", n.layers), entry("decoder_layers", n.layers)};
}

int64_t RnnConfig::fed_width() const {
  if (!attends()) return fixed_vector == FixedVector::every_step ? encoder_width() : 0;
  if (wiring == Wiring::bahdanau) return encoder_width();
  if (input_feeding == InputFeeding::readout) return embedding;
  return input_feeding == InputFeeding::context ? encoder_width() : 0;
}

// bahdanau and a fixed vector at every step: [y; s; c]; luong, previous: [c; s]; a fixed vector as the first
// state: s
int64_t RnnConfig::readout_width() const {
  if (attends() && wiring != Wiring::bahdanau) return encoder_width() + hidden;
  return fed_width() > 0 ? embedding + hidden + encoder_width() : hidden;
}

void RnnConfig::validate() const {
  require_positive({{"embedding", embedding},
                    {"hidden", hidden},
                    {"encoder_layers", encoder_layers},
                    {"decoder_layers", decoder_layers}});
  require_not_negative({{"encoder_hidden", encoder_hidden}, {"attention_hidden", attention_hidden}});
  require_at_most(kMostNumbers, {{"embedding", embedding},
                                 {"hidden", hidden},
                                 {"encoder_hidden", encoder_hidden},
                                 {"attention_hidden", attention_hidden}});
  require_at_most(kMostLayers, {{"encoder_layers", encoder_layers}, {"decoder_layers", decoder_layers}});
  require_share("dropout", dropout);
  require_convolution(convolution);
  if (attends()) {
    require_score(attention, {"none"});
    require_score_of_steps(attention);
    require(!score_traits(attention).one_size || encoder_width() == hidden, "attention",
            "'{}' compares states of equal size, but the encoder's have {} and the decoder's {}; set "
            "encoder_hidden to {}, or use 'general'",
            attention, encoder_width(), hidden, hidden / (bidirectional ? 2 : 1));
    require_visibility("visibility", visibility, &VisibilityTraits::cross, "window", window);
    require(visibility != "local-m" || !reverse_source, "visibility",
            "'local-m' expects the words of source and target in the same order; use local-p with "
            "reverse_source");
    require(fixed_vector == FixedVector::initial, "fixed_vector", "this needs attention: none");
    require(!feeds() || wiring == Wiring::luong, "input_feeding",
            "this needs wiring: luong; in the others the state gets the context of its own step, or none");
  } else {
    require(wiring == Wiring::bahdanau, "wiring", "'{}' needs attention, but attention is none",
            enum_names(wiring)[static_cast<size_t>(wiring)]);
    require(!feeds(), "input_feeding", "this needs attention, but attention is none");
    require(visibility == "full", "visibility", "this needs attention, but attention is none");
  }
}

}  // namespace attune
