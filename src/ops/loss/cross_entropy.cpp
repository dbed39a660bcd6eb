// The output layer of a language model and its loss in one operation. For token i with logits
// l_i = W x_i + b, p_i = softmax(l_i), target t and label smoothing s over v words:
//
//   loss_i = (1 - s) (-log p_it) + s mean_j(-log p_ij)
//
// The logits [tokens, v] would be the largest matrix of a training step. They exist only a chunk of rows at a
// time: if gradients will be needed, the chunk is turned into G = d loss / d logits in place and multiplied
// out at once (dx = G W, dW += G^T x, db += sum_i G_i), so that the backward pass merely scales.
#include <algorithm>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/column_sums.h"
#include "ops/kernels.h"
#include "ops/loss/loss_row.h"
#include "ops/product/bf16/matrix.h"
#include "ops/product/product_form.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

// A chunk of logits takes about 8 MB, but has enough rows to keep the products fast: in bf16 rounding the
// weight and adding to its gradient take longer than multiplying few rows.
constexpr int64_t kChunkBytes = int64_t{8} << 20, kRoundedBytes = int64_t{16} << 20;
constexpr int64_t kFewestRows = 128, kFewestRounded = 256;
constexpr int64_t kWords = 4096;    // rows of the weight that are in bf16 at a time
constexpr int64_t kNarrowest = 16;  // numbers from row to row of logits, at least, to round them in place

struct Logits {
  const Tensor& values;  // [rows, v]
  const Tensor& bias;    // [v] or undefined
  const int32_t* targets;
  double smoothing;
  bool gradient;
};

// Turns logits into losses and, if needed, into gradients; rows that are not counted get zeros.
template <class T, class Row>
void for_rows(const Logits& logits, RowLoss* losses, const Row& row_loss) {
  const int64_t n = logits.values.columns();
  const T* bias = logits.bias ? logits.bias.data<T>() : nullptr;
  parallel_for(logits.values.rows(), 1 + 4096 / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      T* row = logits.values.data<T>() + r * logits.values.row_stride();
      const int32_t target = logits.targets[r];
      if (target != kIgnore)
        losses[r] = row_loss(row, bias, n, target, logits.smoothing, logits.gradient);
      else if (logits.gradient)
        std::fill_n(row, n, T{0});
    }
  });
}

bool is_f32(const Logits& logits, RowLoss*) { return logits.values.dtype() == DType::f32; }
void losses_fast(const Logits& logits, RowLoss* losses) { for_rows<float>(logits, losses, loss_row); }
void losses_reference(const Logits& logits, RowLoss* losses) {
  dispatch(logits.values.dtype(), [&]<class T>() { for_rows<T>(logits, losses, loss_row_reference<T>); });
}

constexpr Kernels<void(const Logits&, RowLoss*)> loss_kernels{{losses_fast, is_f32}, losses_reference};

// Gradients of the sum of losses; undefined where they are not needed. The first chunk writes those of x and
// of the weight, which are zeros only if there is none.
struct Gradients {
  Tensor x, weight, bias;

  Gradients(const Tensor& of_x, const Tensor& of_weight, const Tensor& of_bias) {
    const auto like = [](const Tensor& t, bool zeros) {
      if (!grad_enabled() || !t.node()) return Tensor();
      return zeros ? Tensor::zeros(t.shape(), t.dtype()) : Tensor(t.shape(), t.dtype());
    };
    const bool none = of_x.rows() == 0;
    x = like(of_x, none), weight = like(of_weight, none), bias = like(of_bias, true);
  }
  bool any() const { return x || weight || bias; }
};

// The chunk of tokens that starts at `first`; g [rows, v] is d loss / d logits.
template <class T>
void multiply_out(const Tensor& g, int64_t first, const Tensor& x, const Tensor& weight,
                  const Gradients& gradients) {
  const int64_t rows = g.rows(), v = g.columns(), d = x.columns();
  if (gradients.x)
    gemm(rows, d, v, matrix_of<T>(g, 0), matrix_of<T>(weight, 0), {gradients.x.data<T>() + first * d, d});
  if (gradients.weight)
    gemm(v, d, rows, matrix_of<T>(g, 0, true), matrix_of<T>(x, first), {gradients.weight.data<T>(), d}, 1,
         first > 0 ? 1 : 0);
  if (gradients.bias) column_sums(g, gradients.bias);
}

// In bf16, some words of the weight after the others; x is rounded().
void logits_rounded(const Tensor& x, const Tensor& weight, const Tensor& logits) {
  for (int64_t word = 0; word < weight.rows(); word += kWords) {
    const int64_t count = std::min(kWords, weight.rows() - word);
    Bf16Matrix(weight.columns(), count, matrix_of<float>(weight, word, true))
        .multiply_rounded(x, {logits.data<float>() + word, logits.row_stride()}, false);
  }
}
void multiply_out_rounded(const Tensor& g, int64_t first, const Tensor& x, const Tensor& weight,
                          const Gradients& gradients) {
  const int64_t v = g.columns(), d = x.columns();
  if (gradients.bias) column_sums(g, gradients.bias);
  const Tensor rounded_g = rounded_in_place(g);
  for (int64_t word = 0; gradients.x && word < v; word += kWords) {
    const int64_t count = std::min(kWords, v - word);
    Bf16Matrix(count, d, matrix_of<float>(weight, word))
        .multiply_rounded(rounded_g.view_columns(word, word + count),
                          {gradients.x.data<float>() + first * d, d}, word > 0);
  }
  if (gradients.weight)
    bf16_gemm(v, d, g.rows(), matrix_of<BFloat16>(rounded_g, 0, true), matrix_of<BFloat16>(x, 0),
              {gradients.weight.data<float>(), d}, first > 0);
}

// gradient = factor gradient; or, for a leaf, leaf += factor gradient, and nothing is returned.
Tensor scaled(const Tensor& gradient, double factor, const Tensor& leaf) {
  if (!gradient || (!leaf && factor == 1)) return gradient;
  dispatch(gradient.dtype(), [&]<class T>() {
    const int64_t n = gradient.columns();
    parallel_for(gradient.rows(), 1 + 32768 / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        T* from = gradient.data<T>() + r * n;
        if (leaf) {
          T* to = leaf.data<T>() + r * leaf.row_stride();
          for (int64_t c = 0; c < n; ++c) to[c] += static_cast<T>(factor) * from[c];
        } else {
          for (int64_t c = 0; c < n; ++c) from[c] *= static_cast<T>(factor);
        }
      }
    });
  });
  return leaf ? Tensor() : gradient;
}

void check_arguments(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& targets,
                     double smoothing) {
  constexpr std::string_view op = "linear_cross_entropy";
  check_float(op, {&x, &bias}, {&weight});
  check_rank(op, "x", x, 2);
  check_rank(op, "weight", weight, 2);
  check_shape(op, "weight", weight, {weight.shape()[0], x.columns()});
  if (bias) check_shape(op, "bias", bias, {weight.shape()[0]});
  check_shape(op, "targets", targets, {x.rows()});
  check(targets.dtype() == DType::i32, "{}: the targets must be i32 numbers, but {} were given", op,
        name(targets.dtype()));
  check(smoothing >= 0 && smoothing <= 1, "{}: label_smoothing must be 0 to 1, but is {}", op, smoothing);
  const auto ids = targets.span<int32_t>();
  for (size_t i = 0; i < ids.size(); ++i)
    check(ids[i] == kIgnore || (ids[i] >= 0 && ids[i] < weight.shape()[0]),
          "{}: the target at position {} is {}, but the vocabulary has {} entries ({} is not counted)", op, i,
          ids[i], weight.shape()[0], kIgnore);
}

// The losses of all tokens; fills `gradients`.
std::vector<RowLoss> losses_of(const Tensor& x, const Tensor& weight, const Tensor& bias,
                               const Tensor& targets, double smoothing, const Gradients& gradients) {
  const int64_t tokens = x.rows(), d = x.columns(), v = weight.shape()[0];
  std::vector<RowLoss> losses(static_cast<size_t>(tokens));
  const int64_t row_bytes = std::max<int64_t>(v, 1) * static_cast<int64_t>(bytes_of(x.dtype()));
  const bool in_bf16 = precision_of(weight) == Precision::bf16 && !reference_kernels(),
             rounds = in_bf16 && gradients.any();
  const int64_t chunk = std::min(tokens, rounds ? std::max(kFewestRounded, kRoundedBytes / row_bytes)
                                                : std::max(kFewestRows, kChunkBytes / row_bytes));
  const Tensor memory({chunk, std::max(v, kNarrowest)}, x.dtype());
  const auto form = !rounds && (is_narrow(weight) || in_bf16) ? form_of(weight) : nullptr;
  for (int64_t first = 0; first < tokens; first += chunk) {
    const int64_t rows = std::min(chunk, tokens - first);
    const Tensor logits = memory.view_rows(0, rows).view_columns(0, v),
                 rounded_x = rounds ? rounded(x.view_rows(first, first + rows)) : Tensor();
    if (rounds)
      logits_rounded(rounded_x, weight, logits);
    else if (form)
      form->multiply_parallel(rows, row_of<float>(x, first), x.row_stride(), logits.data<float>(),
                              logits.row_stride());
    dispatch(x.dtype(), [&]<class T>() {
      if (!rounds && !form)
        gemm(rows, v, d, matrix_of<T>(x, first), matrix_of<T>(weight, 0, true),
             {logits.data<T>(), logits.row_stride()});
      loss_kernels({logits, bias, targets.data<int32_t>() + first, smoothing, gradients.any()},
                   losses.data() + first);
      if (!gradients.any()) return;
      if (rounds)
        multiply_out_rounded(logits, first, rounded_x, weight, gradients);
      else
        multiply_out<T>(logits, first, x, weight, gradients);
    });
  }
  return losses;
}

}  // namespace

CrossEntropy linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                  const Tensor& targets, double label_smoothing) {
  check_arguments(x, weight, bias, targets, label_smoothing);
  const Gradients gradients(x, weight, bias);
  const auto losses = losses_of(x, weight, bias, targets, label_smoothing, gradients);

  CrossEntropy result;
  result.nll = Tensor({x.rows()}, x.dtype());
  double total = 0;
  dispatch(x.dtype(), [&]<class T>() {
    for (size_t i = 0; i < losses.size(); ++i) {
      total += losses[i].loss;
      result.nll.data<T>()[i] = static_cast<T>(losses[i].nll);
      result.correct += losses[i].correct;
      result.counted += targets.data<int32_t>()[i] != kIgnore;
    }
  });
  result.loss = Tensor::full({}, total, x.dtype());
  if (gradients.any())
    record("linear_cross_entropy", result.loss, {x, weight, bias},
           [gradients, leaf_x = leaf_gradient(x), leaf_weight = leaf_gradient(weight),
            leaf_bias = leaf_gradient(bias)](const Tensor& dloss) {
             const double factor = dloss.item();
             return Grads{scaled(gradients.x, factor, leaf_x), scaled(gradients.weight, factor, leaf_weight),
                          scaled(gradients.bias, factor, leaf_bias)};
           });
  return result;
}

}  // namespace attune
