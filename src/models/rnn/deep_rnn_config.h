// The configuration of `type: deep_rnn`.
#pragma once

#include <span>

#include "attune/lens.h"
#include "attune/ops/recurrence.h"
#include "config/entries.h"
#include "models/size.h"
#include "models/task.h"
#include "nn/transition_cell.h"

namespace attune {

// Which way the encoder's layers read: two stacks, one forwards and one backwards; two stacks that change
// direction from layer to layer; or one layer in both directions and the others forwards.
enum class EncoderWays : uint8_t { bidirectional, alternating, bi_unidirectional };
std::span<const char* const> enum_names(EncoderWays);

struct DeepRnnConfig {
  Cell encoder_cell = Cell::gru, decoder_cell = Cell::gru;
  int64_t embedding = 256, hidden = 512;
  EncoderWays encoder = EncoderWays::bidirectional;
  int64_t encoder_layers = 1, decoder_layers = 1;
  int64_t encoder_transitions = 1, decoder_transitions = 2, upper_transitions = 1;
  bool residual = false;
  CellNorm norm = CellNorm::none;
  double norm_epsilon = 1e-5, dropout = 0.1;
  bool tied_embeddings = false, tied_output = false, zero_start = false;

  static void fields(FieldsOf<DeepRnnConfig> f);
  // Throws a UsageError that names the key and the reason if the values make no sense together.
  void validate() const;

  static Entries of_size(Size size);
  const Task& model_task() const { return translate_task(); }
  int64_t width() const { return hidden; }
  int64_t longest() const { return 0; }

  // The name of its only attention.
  static constexpr AttentionName kAttention{AttentionName::decoder, 0, AttentionName::cross};
  AttentionName guided_attention() const { return kAttention; }

  int64_t encoder_width() const;
  CellShape encoder_shape() const { return {encoder_cell, hidden, norm, norm_epsilon}; }
  CellShape decoder_shape() const { return {decoder_cell, hidden, norm, norm_epsilon}; }
  // The norm of a layer that is not a cell.
  NormedLinear::Parts whole(int64_t columns) const;
};

}  // namespace attune
