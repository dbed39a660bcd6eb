// The RNN encoder-decoder's configuration (`type: rnn`).
#pragma once

#include <span>
#include <string>

#include "attune/ops.h"
#include "config/fields.h"
#include "models/task_kind.h"

namespace attune {

std::span<const char* const> words(Cell);

// When the decoder's state meets the context: before (Bahdanau) or after (Luong) it is computed.
enum class Wiring : uint8_t { bahdanau, luong };
std::span<const char* const> words(Wiring);

// How the fixed vector of a model without attention is used.
enum class FixedVector : uint8_t { initial, every_step };
std::span<const char* const> words(FixedVector);

struct RnnConfig {
  Cell cell = Cell::gru;
  int64_t embedding = 256, hidden = 512, encoder_hidden = 0, attention_hidden = 0;
  int64_t encoder_layers = 1, decoder_layers = 1;
  bool bidirectional = true, reverse_source = false, residual = false;
  std::string attention = "additive";
  Wiring wiring = Wiring::bahdanau;
  bool input_feeding = false;
  FixedVector fixed_vector = FixedVector::initial;
  double dropout = 0.1;
  bool tied_embeddings = false, tied_output = false;

  void fields(Fields& f);
  // Throws a UsageError that names the key and the reason if the values make no sense together.
  void validate() const;

  TaskKind task_kind() const { return TaskKind::translate; }
  int64_t width() const { return hidden; }
  int64_t longest() const { return 0; }

  std::string guided_attention() const { return attends() ? "cross" : ""; }

  bool attends() const { return attention != "none"; }
  int64_t encoder_direction() const { return encoder_hidden > 0 ? encoder_hidden : hidden; }
  int64_t encoder_width() const { return encoder_direction() * (bidirectional ? 2 : 1); }
  // Whether the decoder's cell takes a context beside the word, and so runs token by token if the context is
  // attended.
  bool cell_takes_context() const {
    return attends() ? wiring == Wiring::bahdanau || input_feeding : fixed_vector == FixedVector::every_step;
  }
  // Whether the encoder's last states can be the decoder's first as they are.
  bool states_fit() const { return encoder_layers == decoder_layers && encoder_width() == hidden; }
  int64_t readout_width() const;
};

}  // namespace attune
