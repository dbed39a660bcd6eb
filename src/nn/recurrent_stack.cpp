#include "nn/recurrent_stack.h"

#include <string>

#include "base/check.h"
#include "nn/gates.h"

namespace attune {

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
    tell_gates(pass, {AttentionName::decoder, static_cast<int64_t>(i)}, layers[i], in, rows, states[i], all);
    states[i] = final_states(all, rows);
    below = residual && i > 0 ? add(all.h, below) : all.h;
  }
  return below;
}

}  // namespace attune
