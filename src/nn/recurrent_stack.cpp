#include "nn/recurrent_stack.h"

#include <string>

#include "base/check.h"
#include "nn/close_lens.h"

namespace attune {
namespace {

// The states before each token of one sentence: [tokens, h], from the one before all [1, h] (undefined:
// zeros) and those after each.
Tensor states_before(const Tensor& first, const Tensor& after) {
  const Tensor start = first ? first.detach() : Tensor::zeros({1, after.columns()}, after.dtype());
  if (after.rows() < 2) return start;
  const Tensor parts[] = {start, after.detach().view_rows(0, after.rows() - 1)};
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

CellStates final_states(const CellStates& all, const Rows& rows, bool reverse) {
  std::vector<int64_t> last;
  for (int64_t s = 0; s < rows.count(); ++s) {
    check(rows.length(s) > 0, "recurrence: sentence {} is empty, so it has no last state", s);
    last.push_back(reverse ? rows.begin(s) : rows.end(s) - 1);
  }
  return take_rows(all, last);
}

RecurrentStack::RecurrentStack(const Scope& p, Cell cell, int64_t count, int64_t in, int64_t h,
                               bool with_residual)
    : residual(with_residual) {
  for (int64_t i = 0; i < count; ++i)
    layers.emplace_back(p / ("layer" + std::to_string(i)), cell, i == 0 ? in : h, h);
}

RecurrentStack RecurrentStack::for_steps() const {
  RecurrentStack stack = *this;
  for (Recurrent& layer : stack.layers) layer.weights = repeated(layer.cell, layer.weights);
  return stack;
}

Tensor RecurrentStack::operator()(const Tensor& x, const Rows& rows, std::vector<CellStates>& states,
                                  double dropout, Pass& pass) const {
  states.resize(layers.size());
  Tensor below = x;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Tensor in = i == 0 ? below : attune::dropout(below, pass.dropout(dropout));
    const CellStates all = layers[i](in, rows, states[i]);
    if (CloseLens* const lens = CloseLens::of(pass.lens()); lens != nullptr && rows.count() == 1) {
      const Tensor before = states_before(states[i].h, all.h);
      lens->gates(static_cast<int64_t>(i), layers[i].cell, gates_of(layers[i], in, before), before);
    }
    states[i] = final_states(all, rows);
    below = residual && i > 0 ? add(all.h, below) : all.h;
  }
  return below;
}

}  // namespace attune
