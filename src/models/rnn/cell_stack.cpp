#include "models/rnn/cell_stack.h"

#include "models/rnn/running_sentences.h"

namespace attune {
namespace {

// Every sentence from its end; its own inverse.
std::vector<int64_t> reversed_tokens(const Rows& rows) {
  std::vector<int64_t> tokens;
  for (int64_t s = 0; s < rows.count(); ++s)
    for (int64_t t = rows.end(s); t-- > rows.begin(s);) tokens.push_back(t);
  return tokens;
}

// The states of one layer, forwards.
Tensor read(std::span<const TransitionCell> cells, const Tensor& a, const Rows& rows,
            const CellStates& initial) {
  RunningSentences running(rows, {initial.h, initial.c});
  std::vector<Tensor> states;
  for (int64_t t = 0; t < rows.max_length(); ++t) {
    running.keep_those_with_token(t);
    const CellStates before{running.tensors()[0], running.tensors()[1]};
    const CellStates after = step(cells, take_rows(a, running.tokens(t)), before);
    running.set_tensors({after.h, after.c});
    states.push_back(after.h);
  }
  return running.in_sentence_order(states);
}

}  // namespace

std::vector<TransitionCell> deep_cell(const Scope& p, const CellShape& shape, int64_t in,
                                      int64_t transitions) {
  std::vector<TransitionCell> cells;
  for (int64_t i = 0; i < transitions; ++i)
    cells.emplace_back(p / ("cell" + std::to_string(i)), shape, i == 0 ? in : 0);
  return cells;
}

CellStates step(std::span<const TransitionCell> cells, const Tensor& a, CellStates state) {
  for (size_t i = 0; i < cells.size(); ++i) state = cells[i].step(i == 0 ? a : Tensor(), state);
  return state;
}

CellStates zero_states(int64_t sentences, int64_t h, Cell cell, DType dtype) {
  const Tensor zeros = Tensor::zeros({sentences, h}, dtype);
  return {zeros, cell == Cell::lstm ? zeros : Tensor()};
}

CellStack::CellStack(const Scope& p, const CellShape& cell_shape, const Sizes& sizes, bool with_residual)
    : shape(cell_shape), residual(with_residual) {
  for (int64_t i = 0; i < sizes.layers; ++i)
    layers.push_back(deep_cell(p / ("layer" + std::to_string(i)), shape, i == 0 ? sizes.in : shape.hidden,
                               sizes.transitions));
}

Tensor CellStack::operator()(const Tensor& x, const Rows& rows, Direction direction, double dropout,
                             Pass& pass) const {
  const std::vector<int64_t> turned = reversed_tokens(rows);
  const CellStates initial = zero_states(rows.count(), shape.hidden, shape.cell, x.dtype());
  Tensor below = x;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Tensor in = i == 0 ? below : attune::dropout(below, pass.dropout(dropout));
    const bool backwards = direction.reverse != (direction.alternating && i % 2 == 1);
    const Tensor a = layers[i][0].inputs(in);
    const Tensor h = backwards ? take_rows(read(layers[i], take_rows(a, turned), rows, initial), turned)
                               : read(layers[i], a, rows, initial);
    below = residual && i > 0 ? add(h, below) : h;
  }
  return below;
}

}  // namespace attune
