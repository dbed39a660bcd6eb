// Recurrence in f32. Whatever does not depend on the previous state runs as one product over all tokens: W x,
// and in the backward pass the gradients of x and of the weights. The rest runs step by step over the
// sentences of a group (see TimeOrder), each group in one thread from its first step to its last. The
// recurrent products are ProductForms', so a sentence's states do not depend on its batch or on the number
// of threads; nor do the sums over all tokens, whose order does not depend on the groups.
#include <algorithm>

#include "attune/threads.h"
#include "base/threads/parallel.h"
#include "ops/product/gemm.h"
#include "ops/product/product_form.h"
#include "ops/recurrence/recurrence.h"
#include "ops/recurrence/recurrence_gates.h"
#include "ops/recurrence/recurrence_weights.h"
#include "ops/shapes.h"

namespace attune {
namespace {

using Place = TimeOrder::Place;

float* row(const Tensor& t, int64_t r) { return t.data<float>() + r * t.row_stride(); }

MatrixOf<const float> matrix(const Tensor& t, bool transpose = false) {
  return {t.data<float>(), t.row_stride(), transpose};
}

// Rows of a state tensor; an undefined one stands for zeros.
class StateRows {
 public:
  StateRows(const Tensor& states, const Tensor& zero_row) : states_(states), zero_row_(zero_row) {}
  const float* operator()(int64_t r) const { return states_ ? row(states_, r) : zero_row_.data<float>(); }

 private:
  const Tensor &states_, &zero_row_;
};

// The states before a place.
class StatesBefore {
 public:
  StatesBefore(const Tensor& states, const Tensor& initial, const Tensor& zero_row)
      : after_(states, zero_row), initial_(initial, zero_row) {}
  const float* operator()(const Place& place) const {
    return place.previous == TimeOrder::kFirst ? initial_(place.sentence) : after_(place.previous);
  }

 private:
  StateRows after_, initial_;
};

// A matrix in time order, whose row at a place is source(place).
template <class Source>
Tensor gather(const TimeOrder& order, int64_t columns, const Source& source) {
  const auto count = static_cast<int64_t>(order.places.size());
  Tensor to({count, columns});
  parallel_for(count, 1 + 16384 / std::max<int64_t>(columns, 1), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      std::copy_n(source(order.places[static_cast<size_t>(p)]), columns, row(to, p));
  });
  return to;
}

Tensor gather_x(const Recurrence& run) {
  return gather(*run.order, run.x.columns(), [&](const Place& place) { return row(run.x, place.token); });
}

void add_row(const Tensor& to, int64_t r, const float* from) {
  float* sum = row(to, r);
  for (int64_t j = 0; j < to.columns(); ++j) sum[j] += from[j];
}

// b_x + b_h in the order of the blocks; for gru, q has b_hn and n has b_xn.
Tensor block_bias(const Recurrence& run) {
  Tensor bias = Tensor::zeros({gate_blocks(run.cell) * run.width()});
  std::copy_n(run.weights.recurrent_bias.data<float>(), run.gate_rows(), bias.data<float>());
  for (const InputPart& part : input_parts(run.cell, run.width()))
    for (int64_t j = 0; j < part.count; ++j)
      bias.data<float>()[part.column + j] += run.weights.input_bias.data<float>()[part.gate + j];
  return bias;
}

// In a group, the place of its i-th sentence's first token.
const Place& first_place(const TimeOrder& order, const TimeOrder::Group& group, int64_t i) {
  return order.places[static_cast<size_t>(group.first_place[0] + i * order.apart())];
}

struct Forward {
  Recurrence& run;
  std::shared_ptr<const ProductForm> recurrent;  // U^T
  Tensor bias, zero_row;
  Tensor h, c;  // [sentences, h]: the states of the running sentences, in the order of their groups

  explicit Forward(Recurrence& r)
      : run(r),
        recurrent(r.weights.shared ? r.weights.shared->recurrent_transposed : form_of(r.weights.recurrent)),
        bias(block_bias(r)),
        zero_row(Tensor::zeros({r.width()})),
        h({r.order->sentences, r.width()}),
        c({r.order->sentences, r.width()}) {}

  void run_group(const TimeOrder::Group& group) const {
    const int64_t n = run.width(), apart = run.order->apart();
    start(group);
    for (size_t step = 0; step < group.active.size(); ++step) {
      const int64_t active = group.active[step], place = group.first_place[step];
      if (run.cell == Cell::gru)
        for (int64_t i = 0; i < active; ++i)
          std::fill_n(row(run.gates, place + i * apart) + 2 * n, n, 0.f);  // q
      if (step > 0 || run.initial.h)
        recurrent->multiply(active, row(h, group.first_sentence), n, row(run.gates, place),
                            apart * run.gates.row_stride(), true);
      for (int64_t i = 0; i < active; ++i) advance(place + i * apart, group.first_sentence + i);
    }
  }

  void start(const TimeOrder::Group& group) const {
    const StateRows initial_h(run.initial.h, zero_row), initial_c(run.initial.c, zero_row);
    for (int64_t i = 0; i < group.active[0]; ++i) {
      const int64_t sentence = first_place(*run.order, group, i).sentence;
      std::copy_n(initial_h(sentence), run.width(), row(h, group.first_sentence + i));
      std::copy_n(initial_c(sentence), run.width(), row(c, group.first_sentence + i));
    }
  }

  void advance(int64_t place, int64_t sentence) const {
    const int64_t n = run.width(), token = run.order->places[static_cast<size_t>(place)].token;
    gates_forward(run.cell, {row(run.gates, place), bias.data<float>(), row(h, sentence), row(c, sentence)},
                  n);
    std::copy_n(row(h, sentence), n, row(run.states.h, token));
    if (run.states.c) std::copy_n(row(c, sentence), n, row(run.states.c, token));
  }
};

struct Backward {
  const Recurrence& run;
  const CellStates& outer;
  const RecurrenceGradients& gradients;
  std::shared_ptr<const ProductForm> recurrent;  // U
  Tensor zero_row;
  Tensor dh, dc;  // [sentences, h]: gradients from later steps
  StatesBefore h_before, c_before;

  Backward(const Recurrence& r, const CellStates& o, const RecurrenceGradients& g)
      : run(r),
        outer(o),
        gradients(g),
        recurrent(r.weights.shared ? r.weights.shared->recurrent
                                   : make_form(r.gate_rows(), r.width(), matrix(r.weights.recurrent),
                                               precision_of(r.weights.recurrent))),
        zero_row(Tensor::zeros({r.width()})),
        dh(Tensor::zeros({r.order->sentences, r.width()})),
        dc(Tensor::zeros({r.order->sentences, r.width()})),
        h_before(r.states.h, r.initial.h, zero_row),
        c_before(r.states.c, r.initial.c, zero_row) {}

  void run_group(const TimeOrder::Group& group) const {
    const int64_t n = run.width(), apart = run.order->apart();
    for (size_t step = group.active.size(); step-- > 0;) {
      const int64_t active = group.active[step], place = group.first_place[step];
      for (int64_t i = 0; i < active; ++i) retreat(place + i * apart, group.first_sentence + i);
      if (step > 0 || gradients.initial.h)
        recurrent->multiply(active, row(run.gates, place), apart * run.gates.row_stride(),
                            row(dh, group.first_sentence), n, run.cell == Cell::gru);
    }
    for (int64_t i = 0; i < group.active[0]; ++i) {
      const int64_t sentence = first_place(*run.order, group, i).sentence;
      if (gradients.initial.h) add_row(gradients.initial.h, sentence, row(dh, group.first_sentence + i));
      if (gradients.initial.c) add_row(gradients.initial.c, sentence, row(dc, group.first_sentence + i));
    }
  }

  void retreat(int64_t position, int64_t sentence) const {
    const Place& place = run.order->places[static_cast<size_t>(position)];
    const StateRows c_after(run.states.c, zero_row), dh_outer(outer.h, zero_row), dc_outer(outer.c, zero_row);
    gates_backward(run.cell,
                   {row(run.gates, position), h_before(place), c_before(place), c_after(place.token),
                    dh_outer(place.token), dc_outer(place.token), row(dh, sentence), row(dc, sentence)},
                   run.width());
  }

  // From the gradients of all sums, now in run.gates, to those of x and the weights.
  void finish() const {
    const TimeOrder& order = *run.order;
    const int64_t tokens = run.rows.total(), in = run.x.columns();
    const auto sums = [&](int64_t column) {
      return MatrixOf<const float>{run.gates.data<float>() + column, run.gates.row_stride()};
    };
    const Tensor ones = Tensor::full({tokens}, 1);
    const auto add_total = [&](int64_t column, int64_t count, float* to) {
      gemm(1, count, tokens, {ones.data<float>(), tokens}, sums(column), {to, count}, 1, 1);
    };
    const auto parts = input_parts(run.cell, run.width());
    const Tensor &dw = gradients.weights.input, &du = gradients.weights.recurrent;
    if (run.weights.shared)
      run.weights.shared->waiting.push_back({run.gates, gather(order, run.width(), h_before), gather_x(run)});
    else if (dw || du)
      add_weight_gradients(run.cell, {run.gates, gather(order, run.width(), h_before), gather_x(run)}, dw, du,
                           precision_of(run.weights.recurrent));
    if (const Tensor& db = gradients.weights.recurrent_bias) add_total(0, run.gate_rows(), row(db, 0));
    if (const Tensor& db = gradients.weights.input_bias)
      for (const InputPart& part : parts) add_total(part.column, part.count, row(db, 0) + part.gate);
    if (gradients.x) {
      Tensor dx({tokens, in});
      for (size_t i = 0; i < parts.size(); ++i) {
        const InputPart& part = parts[i];
        if (run.weights.shared)
          run.weights.shared->input[i]->multiply_parallel(tokens, sums(part.column).data,
                                                          run.gates.row_stride(), row(dx, 0), in, i > 0);
        else
          gemm(tokens, in, part.count, sums(part.column),
               {row(run.weights.input, part.gate), run.weights.input.row_stride()}, {row(dx, 0), in}, 1,
               i > 0 ? 1.f : 0.f, precision_of(run.weights.input));
      }
      parallel_for(tokens, 1 + 16384 / std::max<int64_t>(in, 1), [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
          add_row(gradients.x, order.places[static_cast<size_t>(p)].token, row(dx, p));
      });
    }
  }
};

// As many groups as threads, if each has enough multiplications to make waking a thread worthwhile.
int64_t group_count(const Recurrence& run) {
  constexpr int64_t kWorthAThread = 1 << 20;
  return std::clamp<int64_t>(run.rows.total() * run.gate_rows() * run.width() / kWorthAThread, 1, threads());
}

template <class Pass>
void for_groups(const TimeOrder& order, const Pass& pass) {
  parallel_for(static_cast<int64_t>(order.groups.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) pass.run_group(order.groups[static_cast<size_t>(g)]);
  });
}

}  // namespace

void recurrence_forward_fast(Recurrence& run) {
  run.order = std::make_shared<const TimeOrder>(run.rows, run.reverse, group_count(run));
  run.gates = rows_apart(run.rows.total(), gate_blocks(run.cell) * run.width());
  const Tensor x = gather_x(run);
  const auto parts = input_parts(run.cell, run.width());
  for (size_t i = 0; i < parts.size(); ++i) {
    float* sums = run.gates.data<float>() + parts[i].column;
    if (run.weights.shared)
      run.weights.shared->input_transposed[i]->multiply_parallel(run.rows.total(), row(x, 0), x.row_stride(),
                                                                 sums, run.gates.row_stride());
    else
      multiply_by(x, run.weights.input.view_rows(parts[i].gate, parts[i].gate + parts[i].count),
                  run.gates.view_columns(parts[i].column, parts[i].column + parts[i].count));
  }
  for_groups(*run.order, Forward(run));
}

void recurrence_backward_fast(const Recurrence& run, const CellStates& outer,
                              const RecurrenceGradients& gradients) {
  const Backward pass(run, outer, gradients);
  for_groups(*run.order, pass);
  pass.finish();
}

}  // namespace attune
