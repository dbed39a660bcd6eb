#include "nn/transition_cell.h"

namespace attune {
namespace {

Tensor sigmoid(const Tensor& x) { return activate(x, Activation::sigmoid); }
Tensor tanh(const Tensor& x) { return activate(x, Activation::tanh); }

std::vector<Tensor> gates_of(const Tensor& x, int count) {
  return split_columns(x, std::vector<int64_t>(static_cast<size_t>(count), x.columns() / count));
}

}  // namespace

std::span<const char* const> enum_names(CellNorm) {
  static constexpr const char* kWords[] = {"none", "cell", "gates"};
  return kWords;
}

NormedLinear::Parts CellShape::parts() const {
  if (norm == CellNorm::none) return {};
  if (norm == CellNorm::gates && cell == Cell::gru) return {{2 * hidden, hidden}, epsilon};
  return {{gates(cell) * hidden}, epsilon, norm == CellNorm::gates};
}

TransitionCell::TransitionCell(const Scope& p, const CellShape& shape, int64_t in)
    : cell_(shape.cell),
      recurrent_(p / "recurrent", shape.hidden, gates(shape.cell) * shape.hidden, shape.parts()) {
  const int64_t out = gates(shape.cell) * shape.hidden;
  if (in > 0)
    input_.emplace(p / "input", in, out, shape.parts());
  else
    bias_ = p.param("bias", {out}, zeros());
}

CellStates TransitionCell::step(const Tensor& given, const CellStates& state) const {
  const Tensor s = recurrent_(state.h);
  const Tensor a = input_ ? given : add(Tensor::zeros(s.shape(), s.dtype()), bias_);
  if (cell_ == Cell::rnn) return {tanh(add(a, s)), {}};
  if (cell_ == Cell::gru) {
    const auto as = gates_of(a, 3), ss = gates_of(s, 3);
    const Tensor r = sigmoid(add(as[0], ss[0])), z = sigmoid(add(as[1], ss[1])),
                 n = tanh(add(as[2], mul(ss[2], r)));
    return {add(n, mul(z, add(state.h, scale(n, -1)))), {}};
  }
  const auto sums = gates_of(add(a, s), 4);
  const Tensor c = add(mul(sigmoid(sums[1]), state.c), mul(sigmoid(sums[0]), tanh(sums[2])));
  return {mul(sigmoid(sums[3]), tanh(c)), c};
}

}  // namespace attune
