#include "models/rnn/deep_rnn_config.h"

#include "config/rules.h"
#include "models/model_config.h"
#include "models/rnn/rnn_config.h"

namespace attune {

std::span<const char* const> enum_names(EncoderWays) {
  static constexpr const char* kWords[] = {"bidirectional", "alternating", "bi_unidirectional"};
  return kWords;
}

void DeepRnnConfig::fields(FieldsOf<DeepRnnConfig> f) {
  f("encoder_cell", &DeepRnnConfig::encoder_cell, "recurrent cell of the encoder");
  f("decoder_cell", &DeepRnnConfig::decoder_cell, "recurrent cell of the decoder");
  f("embedding", &DeepRnnConfig::embedding, "size of word vectors");
  f("hidden", &DeepRnnConfig::hidden, "size of states, in the encoder in each direction");
  f("encoder", &DeepRnnConfig::encoder, "which way the encoder's layers read");
  f("encoder_layers", &DeepRnnConfig::encoder_layers, "recurrent layers of the encoder");
  f("decoder_layers", &DeepRnnConfig::decoder_layers, "recurrent layers of the decoder");
  f("encoder_transitions", &DeepRnnConfig::encoder_transitions, "cells in each layer of the encoder");
  f("decoder_transitions", &DeepRnnConfig::decoder_transitions,
    "cells in the decoder's first layer; attention is between the first two");
  f("upper_transitions", &DeepRnnConfig::upper_transitions, "cells in each of the decoder's other layers");
  f("residual", &DeepRnnConfig::residual, "add the input of a layer to its output, from the second layer on");
  f("norm", &DeepRnnConfig::norm, "layer norm before the gates: of all together, or of a GRU's n by itself");
  f("norm_epsilon", &DeepRnnConfig::norm_epsilon, "added to the variance in norms");
  f("dropout", &DeepRnnConfig::dropout, "dropout of embeddings and between layers");
  f("tied_embeddings", &DeepRnnConfig::tied_embeddings, "source and target share their embeddings");
  f("tied_output", &DeepRnnConfig::tied_output, "the output layer uses the target embeddings");
  f("zero_start", &DeepRnnConfig::zero_start,
    "the decoder begins with a vector of zeros instead of that of <s>");
}

Entries DeepRnnConfig::of_size(Size size) {
  struct Numbers {
    int64_t embedding, hidden, layers;
  };
  static constexpr Numbers kNumbers[] = {{128, 192, 1}, {256, 384, 1}, {512, 768, 2}, {512, 1024, 4}};
  const Numbers& n = kNumbers[static_cast<size_t>(size)];
  return {entry("embedding", n.embedding), entry("hidden", n.hidden), entry("encoder_layers", n.layers),
          entry("decoder_layers", n.layers)};
}

int64_t DeepRnnConfig::encoder_width() const {
  const bool one_way = encoder == EncoderWays::bi_unidirectional && encoder_layers > 1;
  return one_way ? hidden : 2 * hidden;
}

NormedLinear::Parts DeepRnnConfig::whole(int64_t columns) const {
  if (norm == CellNorm::none) return {};
  return {{columns}, norm_epsilon, norm == CellNorm::gates};
}

void DeepRnnConfig::validate() const {
  require_positive({{"embedding", embedding},
                    {"hidden", hidden},
                    {"encoder_layers", encoder_layers},
                    {"decoder_layers", decoder_layers},
                    {"encoder_transitions", encoder_transitions},
                    {"decoder_transitions", decoder_transitions},
                    {"upper_transitions", upper_transitions}});
  require_at_most(kMostNumbers, {{"embedding", embedding}, {"hidden", hidden}});
  require_at_most(kMostLayers, {{"encoder_layers", encoder_layers},
                                {"decoder_layers", decoder_layers},
                                {"encoder_transitions", encoder_transitions},
                                {"decoder_transitions", decoder_transitions},
                                {"upper_transitions", upper_transitions}});
  require(norm != CellNorm::gates || (encoder_cell == Cell::gru && decoder_cell == Cell::gru), "norm",
          "'gates' is for gru cells; others take 'cell'");
  require(norm_epsilon > 0 && norm_epsilon < 1, "norm_epsilon", "must be above 0 and below 1, but is {}",
          norm_epsilon);
  require_share("dropout", dropout);
}

}  // namespace attune
