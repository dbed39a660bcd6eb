#include "models/rnn/rnn_encoder.h"

#include <string>

#include "nn/gates.h"

namespace attune {
RnnEncoder::RnnEncoder(const Scope& p, const RnnConfig& config)
    : residual(config.residual), dropout(config.dropout) {
  const int64_t h = config.encoder_direction();
  for (int64_t i = 0; i < config.encoder_layers; ++i) {
    const Scope layer = p / ("layer" + std::to_string(i));
    const int64_t in = i == 0 ? config.embedding : config.encoder_width();
    layers.push_back({Recurrent(layer / "forward", config.cell, in, h), {}});
    if (config.bidirectional) layers.back().backward.emplace_back(layer / "backward", config.cell, in, h);
  }
}

RnnEncoder::Result RnnEncoder::operator()(const Tensor& x, const Rows& rows, Pass& pass) const {
  Result result;
  Tensor below = x;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Tensor in = i == 0 ? below : attune::dropout(below, pass.dropout(dropout));
    const auto number = static_cast<int64_t>(i);
    CellStates all = layers[i].forward(in, rows);
    tell_gates(pass, {AttentionName::encoder, number}, layers[i].forward, in, rows, {}, all);
    CellStates finals = final_states(all, rows);
    for (const Recurrent& backward : layers[i].backward) {
      const CellStates back = backward(in, rows, {}, true);
      tell_gates(pass, {AttentionName::encoder, number, true}, backward, in, rows, {}, back);
      const CellStates back_finals = final_states(back, rows, true);
      all.h = concat_columns({all.h, back.h});
      finals.h = concat_columns({finals.h, back_finals.h});
      if (finals.c) finals.c = concat_columns({finals.c, back_finals.c});
    }
    result.finals.push_back(finals);
    below = residual && i > 0 ? add(all.h, below) : all.h;
  }
  result.states = below;
  return result;
}

}  // namespace attune
