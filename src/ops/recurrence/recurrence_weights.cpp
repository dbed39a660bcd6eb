#include "ops/recurrence/recurrence_weights.h"

#include "attune/autograd.h"
#include "ops/kernels.h"
#include "ops/product/gemm.h"
#include "ops/recurrence/recurrence_gates.h"
#include "ops/shapes.h"
#include "ops/sink.h"
#include "tensor/storage.h"

namespace attune {
namespace {

// Stacks the parts vertically.
Tensor joined(const std::vector<CellRows>& parts, Tensor CellRows::*member) {
  int64_t rows = 0;
  for (const CellRows& part : parts) rows += (part.*member).rows();
  const Tensor all = rows_apart(rows, (parts[0].*member).columns());
  int64_t begin = 0;
  for (const CellRows& part : parts) {
    const Tensor& from = part.*member;
    all.view_rows(begin, begin + from.rows()).copy_from(from);
    begin += from.rows();
  }
  return all;
}

}  // namespace

std::vector<InputPart> input_parts(Cell cell, int64_t h) {
  if (cell == Cell::gru) return {{0, 0, 2 * h}, {2 * h, 3 * h, h}};  // r and z; n comes after q
  return {{0, 0, gates(cell) * h}};
}

void add_weight_gradients(Cell cell, const CellRows& rows, const Tensor& dw, const Tensor& du,
                          Precision precision) {
  const int64_t tokens = rows.gates.rows(), h = rows.gates.columns() / gate_blocks(cell);
  const auto sums = [&](int64_t column) {
    return MatrixOf<const float>{rows.gates.data<float>() + column, rows.gates.row_stride(), true};
  };
  if (du)
    gemm(gates(cell) * h, h, tokens, sums(0), matrix_of<float>(rows.h, 0),
         {du.data<float>(), du.row_stride()}, 1, 1, precision);
  if (!dw) return;
  for (const InputPart& part : input_parts(cell, h))
    gemm(part.count, dw.columns(), tokens, sums(part.column), matrix_of<float>(rows.x, 0),
         {row_of<float>(dw, part.gate), dw.row_stride()}, 1, 1, precision);
}

SharedCell::SharedCell(Cell which, const CellWeights& weights)
    : cell(which), precision(precision_of(weights.recurrent)) {
  const Tensor &w = weights.input, &u = weights.recurrent;
  const int64_t h = u.columns(), in = w.columns();
  recurrent_transposed = make_form(h, u.rows(), matrix_of<float>(u, 0, true), precision);
  for (const InputPart& part : input_parts(cell, h))
    input_transposed.push_back(make_form(in, part.count, matrix_of<float>(w, part.gate, true), precision));
  if (!grad_enabled()) return;
  recurrent = make_form(u.rows(), h, matrix_of<float>(u, 0), precision);
  for (const InputPart& part : input_parts(cell, h))
    input.push_back(make_form(part.count, in, matrix_of<float>(w, part.gate), precision));
}

void SharedCell::add_gradients(const Tensor& dw, const Tensor& du) {
  if (waiting.empty()) return;
  const CellRows all{joined(waiting, &CellRows::gates), joined(waiting, &CellRows::h),
                     joined(waiting, &CellRows::x)};
  waiting.clear();
  add_weight_gradients(cell, all, dw, du, precision);
}

namespace {

bool can_be_shared(Cell, const CellWeights& weights) {
  const bool constant = weights.input.storage()->kept != nullptr;  // these are packed anyway
  return !constant && weights.input.dtype() == DType::f32;
}

CellWeights shared_weights(Cell cell, const CellWeights& weights) {
  const auto shared = std::make_shared<SharedCell>(cell, weights);
  CellWeights result{weights.input.detach(), weights.recurrent.detach(), weights.input_bias.detach(),
                     weights.recurrent_bias.detach(), shared};
  if (recording(weights.input, weights.recurrent, weights.input_bias, weights.recurrent_bias))
    record("repeated", {&result.input, &result.recurrent, &result.input_bias, &result.recurrent_bias},
           {weights.input, weights.recurrent, weights.input_bias, weights.recurrent_bias},
           [shared, of_input = Sink(weights.input), of_recurrent = Sink(weights.recurrent)](const Grads& dy) {
             const Tensor dw = of_input.open(DType::f32), du = of_recurrent.open(DType::f32);
             shared->add_gradients(dw, du);
             return Grads{of_input.returned(dw), of_recurrent.returned(du), dy[2], dy[3]};
           });
  return result;
}

CellWeights as_given(Cell, const CellWeights& weights) { return weights; }

constexpr Kernels<CellWeights(Cell, const CellWeights&)> repeated_kernels{{shared_weights, can_be_shared},
                                                                          as_given};

}  // namespace

CellWeights repeated(Cell cell, const CellWeights& weights) {
  check_float("repeated", {&weights.input_bias, &weights.recurrent_bias},
              {&weights.input, &weights.recurrent});
  return repeated_kernels(cell, weights);
}

}  // namespace attune
