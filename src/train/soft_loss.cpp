// As in linear_cross_entropy, logits exist only a chunk of rows at a time, and their gradients are multiplied
// out at once, so that the backward pass merely scales.
#include "train/soft_loss.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "attune/autograd.h"
#include "base/threads/parallel.h"
#include "ops/column_sums.h"
#include "ops/product/gemm.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

constexpr int64_t kChunkBytes = int64_t{8} << 20;
constexpr int64_t kFewestRows = 128;

// A layer and the gradients of the loss; undefined where they are not needed.
class Side {
 public:
  explicit Side(const OutputLayer& layer)
      : layer_{layer.features.detach(), layer.weight.detach(), layer.bias ? layer.bias.detach() : Tensor()},
        features_(zeros_for(layer.features)),
        weight_(zeros_for(layer.weight)),
        bias_(zeros_for(layer.bias)) {}

  Tensor logits(int64_t begin, int64_t end) const {
    return linear(layer_.features.view_rows(begin, end), layer_.weight, layer_.bias);
  }

  int64_t row_bytes() const {  // of logits
    return layer_.weight.shape()[0] * static_cast<int64_t>(bytes_of(layer_.features.dtype()));
  }

  // g: of the logits of the rows from `begin` on.
  void multiply_out(const Tensor& g, int64_t begin) const {
    const int64_t rows = g.rows(), words = g.columns(), d = layer_.features.columns();
    dispatch(g.dtype(), [&]<class T>() {
      if (features_)
        gemm(rows, d, words, matrix_of<T>(g, 0), matrix_of<T>(layer_.weight, 0),
             {features_.data<T>() + begin * d, d}, 1, 0, precision_of(layer_.weight));
      if (weight_)
        gemm(words, d, rows, matrix_of<T>(g, 0, true), matrix_of<T>(layer_.features, begin),
             {weight_.data<T>(), d}, 1, 1, precision_of(layer_.weight));
    });
    if (bias_) column_sums(g, bias_);
  }

  bool wants_gradients() const { return features_ || weight_ || bias_; }
  void add_scaled(double factor, Grads& all) const {
    for (const Tensor& one : {features_, weight_, bias_})
      all.push_back(one && factor != 1 ? scale(one, factor) : one);
  }

 private:
  static Tensor zeros_for(const Tensor& t) {
    return t && grad_enabled() && t.node() ? Tensor::zeros(t.shape(), t.dtype()) : Tensor();
  }

  OutputLayer layer_;
  Tensor features_, weight_, bias_;
};

// The distributions of a chunk, and where the gradients of their logits go.
template <class T>
struct RowPair {
  const T *p, *log_p, *q, *log_q;
  T *of_p, *of_q;
  int64_t words;
};

// Each returns the loss of a row.
struct Distil {
  template <class T>
  double operator()(const RowPair<T>& row) const {
    double loss = 0;
    for (int64_t j = 0; j < row.words; ++j) {
      loss -= static_cast<double>(row.q[j] * row.log_p[j]);
      row.of_p[j] = row.p[j] - row.q[j];
    }
    return loss;
  }
};

// d KL(p || q) / d logit of p_j = p_j (log p_j - log q_j - KL(p || q));  d KL(q || p) / ... = p_j - q_j
struct Agree {
  template <class T>
  double operator()(const RowPair<T>& row) const {
    double p_to_q = 0, q_to_p = 0;
    for (int64_t j = 0; j < row.words; ++j) {
      const T apart = row.log_p[j] - row.log_q[j];
      p_to_q += static_cast<double>(row.p[j] * apart);
      q_to_p -= static_cast<double>(row.q[j] * apart);
    }
    for (int64_t j = 0; j < row.words; ++j) {
      const T apart = row.log_p[j] - row.log_q[j], p = row.p[j], q = row.q[j];
      row.of_p[j] = (p * (apart - static_cast<T>(p_to_q)) + p - q) / 2;
      row.of_q[j] = (q * (-apart - static_cast<T>(q_to_p)) + q - p) / 2;
    }
    return (p_to_q + q_to_p) / 2;
  }
};

// The loss of the rows of a chunk; fills the gradients of their logits.
template <class RowLoss>
double chunk_loss(const Tensor& a, const Tensor& b, const int32_t* expected, const Tensor& of_a,
                  const Tensor& of_b) {
  const Tensor p = softmax(a), log_p = log_softmax(a), q = softmax(b), log_q = log_softmax(b);
  std::vector<double> losses(static_cast<size_t>(a.rows()));
  const int64_t words = a.columns();
  dispatch(a.dtype(), [&]<class T>() {
    parallel_for(a.rows(), 1 + 4096 / words, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        if (expected[r] == kIgnore) continue;
        const auto at = [&](const Tensor& t) { return t.data<T>() + r * words; };
        losses[static_cast<size_t>(r)] =
            RowLoss{}(RowPair<T>{at(p), at(log_p), at(q), at(log_q), at(of_a), at(of_b), words});
      }
    });
  });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum;
}

template <class RowLoss>
double losses_of(const Side& a, const Side& b, const Tensor& expected) {
  const NoGrad no_grad;
  double sum = 0;
  const int64_t rows = expected.size();
  const int64_t chunk = std::max(kFewestRows, kChunkBytes / a.row_bytes());
  for (int64_t begin = 0; begin < rows; begin += chunk) {
    const int64_t end = std::min(rows, begin + chunk);
    const Tensor of_p = a.logits(begin, end), of_q = b.logits(begin, end);
    const Tensor by_p = Tensor::zeros(of_p.shape(), of_p.dtype()),
                 by_q = Tensor::zeros(of_p.shape(), of_p.dtype());
    sum += chunk_loss<RowLoss>(of_p, of_q, expected.data<int32_t>() + begin, by_p, by_q);
    if (a.wants_gradients()) a.multiply_out(by_p, begin);
    if (b.wants_gradients()) b.multiply_out(by_q, begin);
  }
  return sum;
}

}  // namespace

Tensor distillation_loss(const OutputLayer& student, const OutputLayer& teacher, const Tensor& expected) {
  const Side of_student(student), constant({teacher.features.detach(), teacher.weight.detach(),
                                            teacher.bias ? teacher.bias.detach() : Tensor()});
  Tensor loss = Tensor::full({}, losses_of<Distil>(of_student, constant, expected), student.features.dtype());
  if (of_student.wants_gradients())
    record("distillation_loss", loss, {student.features, student.weight, student.bias},
           [of_student](const Tensor& dloss) {
             Grads all;
             of_student.add_scaled(dloss.item(), all);
             return all;
           });
  return loss;
}

Tensor consistency_loss(const OutputLayer& first, const OutputLayer& second, const Tensor& expected) {
  const Side a(first), b(second);
  Tensor loss = Tensor::full({}, losses_of<Agree>(a, b, expected), first.features.dtype());
  if (a.wants_gradients() || b.wants_gradients())
    record("consistency_loss", loss,
           {first.features, first.weight, first.bias, second.features, second.weight, second.bias},
           [a, b](const Tensor& dloss) {
             Grads all;
             a.add_scaled(dloss.item(), all);
             b.add_scaled(dloss.item(), all);
             return all;
           });
  return loss;
}

}  // namespace attune
