// Recurrence over ragged sequences (Elman 1990; Cho et al. 2014; Hochreiter and Schmidhuber 1997), with the
// gates in PyTorch's order and form; s is the sigmoid, * is element by element:
//   rnn   h' = tanh(W x + b_x + U h + b_h)
//   gru   r = s(W_r x + b_xr + U_r h + b_hr)      z = s(W_z x + b_xz + U_z h + b_hz)
//         n = tanh(W_n x + b_xn + r * (U_n h + b_hn))
//         h' = (1 - z) * n + z * h
//   lstm  i, f, o = s(W x + b_x + U h + b_h)      g = tanh(W_g x + b_xg + U_g h + b_hg)
//         c' = f * c + i * g                      h' = o * tanh(c')
#include "ops/recurrence/recurrence.h"

#include "attune/autograd.h"
#include "ops/kernels.h"
#include "ops/shapes.h"
#include "ops/sink.h"

namespace attune {
namespace {

bool fast_forward_fits(Recurrence& run) { return run.x.dtype() == DType::f32; }
bool fast_backward_fits(const Recurrence& run, const CellStates&, const RecurrenceGradients&) {
  return run.gates.defined();
}

constexpr Kernels<void(Recurrence&)> forward_kernels{{recurrence_forward_fast, fast_forward_fits},
                                                     recurrence_forward_reference};
constexpr Kernels<void(const Recurrence&, const CellStates&, const RecurrenceGradients&)> backward_kernels{
    {recurrence_backward_fast, fast_backward_fits}, recurrence_backward_reference};

void check_inputs(Cell cell, const Tensor& x, const Rows& rows, const CellWeights& weights,
                  const CellStates& initial) {
  const auto check_named = [&](std::string_view what, const Tensor& tensor, const Shape& expected) {
    check_shape("recurrence", what, tensor, expected);
  };
  check_rank("recurrence", "x", x, 2);
  check_rank("recurrence", "the recurrent weight", weights.recurrent, 2);
  const int64_t h = weights.recurrent.columns(), gate_rows = gates(cell) * h;
  check_named("x", x, {rows.total(), x.columns()});
  check_named("the recurrent weight", weights.recurrent, {gate_rows, h});
  check_named("the input weight", weights.input, {gate_rows, x.columns()});
  check_named("the input bias", weights.input_bias, {gate_rows});
  check_named("the recurrent bias", weights.recurrent_bias, {gate_rows});
  if (initial.h) check_named("the initial h", initial.h, {rows.count(), h});
  check(!initial.c || cell == Cell::lstm, "recurrence: an initial c was given, but {} has no c", name(cell));
  if (initial.c) check_named("the initial c", initial.c, {rows.count(), h});
  check_float("recurrence", {&x, &weights.input_bias, &weights.recurrent_bias, &initial.h, &initial.c},
              {&weights.input, &weights.recurrent});
}

}  // namespace

std::string_view name(Cell cell) {
  switch (cell) {
    case Cell::rnn: return "rnn";
    case Cell::gru: return "gru";
    case Cell::lstm: return "lstm";
  }
  return "unknown";
}

int gates(Cell cell) { return cell == Cell::rnn ? 1 : cell == Cell::gru ? 3 : 4; }

CellStates recurrence(Cell cell, const Tensor& x, const Rows& rows, const CellWeights& weights,
                      const CellStates& initial, bool reverse) {
  check_inputs(cell, x, rows, weights, initial);
  const Shape shape{rows.total(), weights.recurrent.columns()};
  CellStates states{Tensor(shape, x.dtype()), cell == Cell::lstm ? Tensor(shape, x.dtype()) : Tensor()};
  const auto run = std::make_shared<Recurrence>(
      Recurrence{cell,
                 rows,
                 reverse,
                 x.detach(),
                 {weights.input.detach(), weights.recurrent.detach(), weights.input_bias.detach(),
                  weights.recurrent_bias.detach(), weights.shared},
                 {initial.h.detach(), initial.c.detach()},
                 {states.h, states.c},
                 {},
                 {}});
  forward_kernels(*run);
  if (!recording(x, weights.input, weights.recurrent, weights.input_bias, weights.recurrent_bias, initial.h,
                 initial.c))
    return states;

  const std::initializer_list<Tensor> inputs{
      x, weights.input, weights.recurrent, weights.input_bias, weights.recurrent_bias, initial.h, initial.c};
  std::vector<Sink> sinks(inputs.begin(), inputs.end());
  if (weights.shared) sinks[1] = sinks[2] = Sink({});  // their gradients come later
  const auto backward = [run, sinks](const Grads& outer) {
    std::vector<Tensor> open;
    for (const Sink& sink : sinks) open.push_back(sink.open(run->x.dtype()));
    backward_kernels(*run, {outer[0], outer.size() > 1 ? outer[1] : Tensor()},
                     {open[0], {open[1], open[2], open[3], open[4]}, {open[5], open[6]}});
    Grads gradients;
    for (size_t i = 0; i < sinks.size(); ++i) gradients.push_back(sinks[i].returned(open[i]));
    return gradients;
  };
  if (cell == Cell::lstm)
    record("recurrence", {&states.h, &states.c}, inputs, backward);
  else
    record("recurrence", {&states.h}, inputs, backward);
  return states;
}

}  // namespace attune
