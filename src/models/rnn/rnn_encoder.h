// The recurrent encoder: h_j = [forward_j; backward_j] (Bahdanau et al. 2015, 3.2), or only one direction.
#pragma once

#include <vector>

#include "models/model.h"
#include "models/rnn/rnn_config.h"
#include "nn/recurrent_stack.h"

namespace attune {

struct RnnEncoder {
  struct Layer {
    Recurrent forward;
    std::vector<Recurrent> backward;  // one, or none
  };
  std::vector<Layer> layers;
  bool residual;
  double dropout;

  RnnEncoder(const Scope& p, const RnnConfig& config);

  struct Result {
    Tensor states;                   // [tokens, width] of the top layer
    std::vector<CellStates> finals;  // [sentences, width], one per layer
  };
  Result operator()(const Tensor& x, const Rows& rows, Pass& pass) const;
};

}  // namespace attune
