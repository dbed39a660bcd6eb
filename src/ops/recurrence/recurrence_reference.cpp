// The definition of `recurrence`: sentence by sentence, token by token, in f32 or f64. The backward pass
// recomputes the gates from the states.
#include <cmath>
#include <vector>

#include "ops/recurrence/recurrence.h"
#include "tensor/dispatch.h"
#include "tensor/quantized.h"

namespace attune {
namespace {

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

template <class T>
T* row(const Tensor& t, int64_t r) {
  return t.data<T>() + r * t.row_stride();
}

template <class T>
std::vector<T> row_copy(const Tensor& t, int64_t r) {
  return {row<T>(t, r), row<T>(t, r) + t.columns()};
}

// y = M v + b
template <class T>
std::vector<T> affine(const Tensor& m, const Tensor& b, const std::vector<T>& v) {
  std::vector<T> y = row_copy<T>(b, 0);
  for (size_t i = 0; i < y.size(); ++i)
    for (size_t j = 0; j < v.size(); ++j) y[i] += row<T>(m, static_cast<int64_t>(i))[j] * v[j];
  return y;
}

// For y = M v + b: dM += dy v^T, db += dy, dv += M^T dy. Gradients that are not needed are undefined or null.
template <class T>
void affine_backward(const Tensor& m, const std::vector<T>& v, const std::vector<T>& dy, const Tensor& dm,
                     const Tensor& db, T* dv) {
  for (size_t i = 0; i < dy.size(); ++i) {
    const auto r = static_cast<int64_t>(i);
    if (db) db.data<T>()[r] += dy[i];
    for (size_t j = 0; j < v.size(); ++j) {
      if (dm) row<T>(dm, r)[j] += dy[i] * v[j];
      if (dv != nullptr) dv[j] += dy[i] * row<T>(m, r)[j];
    }
  }
}

// One step of one sentence.
template <class T>
struct Step {
  size_t n;                         // h
  std::vector<T> x, h, c;           // the cell's input: the token and the previous states
  std::vector<T> input, recurrent;  // W x + b_x and U h + b_h

  Step(const Recurrence& run, int64_t sentence, int64_t step)
      : n(static_cast<size_t>(run.width())),
        x(row_copy<T>(run.x, token_at(run.rows, run.reverse, sentence, step))),
        h(state_before(run, run.states.h, run.initial.h, sentence, step)),
        c(state_before(run, run.states.c, run.initial.c, sentence, step)),
        input(affine(run.weights.input, run.weights.input_bias, x)),
        recurrent(affine(run.weights.recurrent, run.weights.recurrent_bias, h)) {}

  static std::vector<T> state_before(const Recurrence& run, const Tensor& states, const Tensor& initial,
                                     int64_t sentence, int64_t step) {
    if (step > 0 && states) return row_copy<T>(states, token_at(run.rows, run.reverse, sentence, step - 1));
    if (step == 0 && initial) return row_copy<T>(initial, sentence);
    return std::vector<T>(static_cast<size_t>(run.width()));
  }

  T sum(size_t gate, size_t j) const { return input[gate * n + j] + recurrent[gate * n + j]; }

  struct Gru {
    T r, z, q, n;  // q = U_n h + b_hn
  };
  Gru gru(size_t j) const {
    const T r = sigmoid(sum(0, j)), z = sigmoid(sum(1, j)), q = recurrent[2 * n + j];
    return {r, z, q, std::tanh(input[2 * n + j] + r * q)};
  }

  struct Lstm {
    T i, f, g, o, c;
  };
  Lstm lstm(size_t j) const {
    const T i = sigmoid(sum(0, j)), f = sigmoid(sum(1, j)), g = std::tanh(sum(2, j));
    return {i, f, g, sigmoid(sum(3, j)), f * c[j] + i * g};
  }

  void forward(Cell cell, const CellStates& states, int64_t token) const {
    T* h_after = row<T>(states.h, token);
    for (size_t j = 0; j < n; ++j) switch (cell) {
        case Cell::rnn: h_after[j] = std::tanh(sum(0, j)); break;
        case Cell::gru: {
          const Gru a = gru(j);
          h_after[j] = (1 - a.z) * a.n + a.z * h[j];
          break;
        }
        case Cell::lstm: {
          const Lstm a = lstm(j);
          row<T>(states.c, token)[j] = a.c;
          h_after[j] = a.o * std::tanh(a.c);
          break;
        }
      }
  }

  // The gradients of `input` and `recurrent`. dh and dc change from the gradients of the states after the
  // token to those of the states before it, dh without the part through `recurrent`.
  struct SumGradients {
    std::vector<T> input, recurrent;
  };
  SumGradients backward(Cell cell, std::vector<T>& dh, std::vector<T>& dc) const {
    SumGradients d{std::vector<T>(input.size()), std::vector<T>(input.size())};
    for (size_t j = 0; j < n; ++j) {
      const auto both = [&](size_t gate, T gradient) {
        d.input[gate * n + j] = d.recurrent[gate * n + j] = gradient;
      };
      switch (cell) {
        case Cell::rnn: {
          const T y = std::tanh(sum(0, j));
          both(0, dh[j] * (1 - y * y));
          dh[j] = 0;
          break;
        }
        case Cell::gru: {
          const Gru a = gru(j);
          const T dn = dh[j] * (1 - a.z) * (1 - a.n * a.n);
          both(0, dn * a.q * a.r * (1 - a.r));
          both(1, dh[j] * (h[j] - a.n) * a.z * (1 - a.z));
          d.input[2 * n + j] = dn;
          d.recurrent[2 * n + j] = dn * a.r;
          dh[j] *= a.z;
          break;
        }
        case Cell::lstm: {
          const Lstm a = lstm(j);
          const T y = std::tanh(a.c), dc_after = dc[j] + dh[j] * a.o * (1 - y * y);
          both(0, dc_after * a.g * a.i * (1 - a.i));
          both(1, dc_after * c[j] * a.f * (1 - a.f));
          both(2, dc_after * a.i * (1 - a.g * a.g));
          both(3, dh[j] * y * a.o * (1 - a.o));
          dh[j] = 0;
          dc[j] = dc_after * a.f;
          break;
        }
      }
    }
    return d;
  }
};

template <class T>
void add_row(const Tensor& to, int64_t r, const std::vector<T>& from) {
  for (size_t j = 0; to && j < from.size(); ++j) row<T>(to, r)[j] += from[j];
}

template <class T>
void backward_sentence(const Recurrence& run, int64_t sentence, const CellStates& outer,
                       const RecurrenceGradients& gradients) {
  const auto n = static_cast<size_t>(run.width());
  std::vector<T> dh(n), dc(n);
  for (int64_t t = run.rows.length(sentence) - 1; t >= 0; --t) {
    const int64_t token = token_at(run.rows, run.reverse, sentence, t);
    for (size_t j = 0; j < n; ++j) {
      if (outer.h) dh[j] += row<T>(outer.h, token)[j];
      if (outer.c) dc[j] += row<T>(outer.c, token)[j];
    }
    const Step<T> step(run, sentence, t);
    const auto d = step.backward(run.cell, dh, dc);
    affine_backward(run.weights.input, step.x, d.input, gradients.weights.input, gradients.weights.input_bias,
                    gradients.x ? row<T>(gradients.x, token) : nullptr);
    affine_backward(run.weights.recurrent, step.h, d.recurrent, gradients.weights.recurrent,
                    gradients.weights.recurrent_bias, dh.data());
  }
  add_row(gradients.initial.h, sentence, dh);
  add_row(gradients.initial.c, sentence, dc);
}

}  // namespace

void recurrence_forward_reference(Recurrence& run) {
  for (Tensor* weight : {&run.weights.input, &run.weights.recurrent})
    if (is_narrow(*weight)) *weight = widened(*weight);
  dispatch(run.x.dtype(), [&]<class T>() {
    for (int64_t s = 0; s < run.rows.count(); ++s)
      for (int64_t t = 0; t < run.rows.length(s); ++t)
        Step<T>(run, s, t).forward(run.cell, run.states, token_at(run.rows, run.reverse, s, t));
  });
}

void recurrence_backward_reference(const Recurrence& run, const CellStates& outer,
                                   const RecurrenceGradients& gradients) {
  dispatch(run.x.dtype(), [&]<class T>() {
    for (int64_t s = 0; s < run.rows.count(); ++s) backward_sentence<T>(run, s, outer, gradients);
  });
}

}  // namespace attune
