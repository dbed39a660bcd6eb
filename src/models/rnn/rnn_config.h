// The RNN encoder-decoder's configuration (`type: rnn`).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "attune/lens.h"
#include "attune/ops/recurrence.h"
#include "config/entries.h"
#include "models/size.h"
#include "models/task.h"

namespace attune {

std::span<const char* const> enum_names(Cell);

// Whether the context is computed before the decoder's state and enters it (Bahdanau), after it (Luong), or
// by the previous state without entering the next (previous).
enum class Wiring : uint8_t { bahdanau, luong, previous };
std::span<const char* const> enum_names(Wiring);

// The input from the previous step in Luong's wiring: none, its h~ = tanh(R [c; s]) (Luong et al. 2015, 3.3),
// or its c.
enum class InputFeeding : uint8_t { none, readout, context };
std::span<const char* const> enum_names(InputFeeding);

// How the fixed vector of a model without attention is used.
enum class FixedVector : uint8_t { initial, every_step };
std::span<const char* const> enum_names(FixedVector);

struct RnnConfig {
  Cell cell = Cell::gru;
  int64_t embedding = 256, hidden = 512, encoder_hidden = 0, attention_hidden = 0;
  int64_t encoder_layers = 1, decoder_layers = 1;
  bool bidirectional = true, reverse_source = false, residual = false;
  std::string attention = "additive", visibility = "full";
  int64_t window = 10;
  Wiring wiring = Wiring::bahdanau;
  InputFeeding input_feeding = InputFeeding::none;
  FixedVector fixed_vector = FixedVector::initial;
  double dropout = 0.1;
  int64_t convolution = 1;
  bool tied_embeddings = false, tied_output = false;

  static void fields(FieldsOf<RnnConfig> f);
  // Throws a UsageError that names the key and the reason if the values make no sense together.
  void validate() const;

  static Entries of_size(Size size);
  const Task& model_task() const { return translate_task(); }
  int64_t width() const { return hidden; }
  int64_t longest() const { return 0; }

  std::optional<AttentionName> guided_attention() const {
    return attends() ? std::optional(kAttention) : std::nullopt;
  }
  // The name of its only attention.
  static constexpr AttentionName kAttention{AttentionName::decoder, 0, AttentionName::cross};

  bool attends() const { return attention != "none"; }
  int64_t encoder_direction() const { return encoder_hidden > 0 ? encoder_hidden : hidden; }
  int64_t encoder_width() const { return encoder_direction() * (bidirectional ? 2 : 1); }
  // The size of the cell's input besides the word; 0: none. If it comes from attention, the decoder runs
  // token by token.
  int64_t fed_width() const;
  bool feeds() const { return input_feeding != InputFeeding::none; }
  // Whether the encoder's last states can be used unchanged as the decoder's first.
  bool states_fit() const { return encoder_layers == decoder_layers && encoder_width() == hidden; }
  int64_t readout_width() const;
};

}  // namespace attune
