#include "nn/gates.h"

#include <vector>

#include "attune/ops.h"

namespace attune {
namespace {

// The states before each token of one sentence: [tokens, h], from the one before all [1, h] (undefined:
// zeros) and those after each. Backward, the last token is read first.
Tensor states_before(const Tensor& first, const Tensor& after, bool backward) {
  const Tensor start = first ? first.detach() : Tensor::zeros({1, after.columns()}, after.dtype());
  if (after.rows() < 2) return start;
  const int64_t begin = backward ? 1 : 0;
  const Tensor rest = after.detach().view_rows(begin, begin + after.rows() - 1);
  const Tensor parts[] = {backward ? rest : start, backward ? start : rest};
  return concat_rows(parts);
}

// With a = W x + b and u = U h + c, h before each token, in parts of the size of h:
//   rnn: tanh(a + u)    gru: r = sigma(a_r + u_r), z = sigma(a_z + u_z), n = tanh(a_n + r u_n)
//   lstm: i = sigma(..), f = sigma(..), g = tanh(..), o = sigma(..)
Tensor gates_of(const Recurrent& layer, const Tensor& x, const Tensor& before) {
  const auto parts = [&](const Tensor& all) {
    return split_columns(all, std::vector<int64_t>(static_cast<size_t>(gates(layer.cell)), before.columns()));
  };
  const CellWeights& w = layer.weights;
  const std::vector<Tensor> a = parts(linear(x.detach(), w.input.detach(), w.input_bias.detach())),
                            u = parts(linear(before, w.recurrent.detach(), w.recurrent_bias.detach()));
  const auto gate = [&](size_t i, Activation f) { return activate(add(a[i], u[i]), f); };
  const Activation sigma = Activation::sigmoid, tanh = Activation::tanh;
  switch (layer.cell) {
    case Cell::rnn: return gate(0, tanh);
    case Cell::gru: {
      const Tensor r = gate(0, sigma);
      return concat_columns({r, gate(1, sigma), activate(add(a[2], mul(r, u[2])), tanh)});
    }
    case Cell::lstm: return concat_columns({gate(0, sigma), gate(1, sigma), gate(2, tanh), gate(3, sigma)});
  }
  return {};
}

}  // namespace

void tell_gates(const Pass& pass, const RecurrentName& name, const Recurrent& layer, const Tensor& x,
                const Rows& rows, const CellStates& initial, const CellStates& all) {
  CloseLens* const lens = CloseLens::of(pass.lens());
  if (lens == nullptr || rows.count() != 1 || all.h.rows() == 0) return;
  const Tensor before = states_before(initial.h, all.h, name.backward);
  lens->gates(name, {.cell = layer.cell,
                     .gates = gates_of(layer, x, before),
                     .before = before,
                     .cell_before = all.c ? states_before(initial.c, all.c, name.backward) : Tensor()});
}

}  // namespace attune
