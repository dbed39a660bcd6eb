// Losses that compare whole distributions over the words, not only the expected ones.
#pragma once

#include "attune/tensor.h"
#include "models/model.h"

namespace attune {

// An output layer and its input: the distributions softmax(features weight^T + bias), one a row.
struct OutputLayer {
  Tensor features, weight, bias;  // [rows, d] [words, d] [words] or undefined

  static OutputLayer of(const Model& model, const Tensor& features) {
    return {features, model.output_weight(), model.output_bias()};
  }
};

// Knowledge distillation by words (Kim and Rush 2016): the cross entropy of the student's distributions p
// with the teacher's q, which are constant. Summed over the rows whose `expected` is not kIgnore:
//   -sum_j q_j log p_j
Tensor distillation_loss(const OutputLayer& student, const OutputLayer& teacher, const Tensor& expected);

// R-Drop (Liang et al. 2021): how far two passes with different dropout are apart. Summed likewise:
//   (KL(p || q) + KL(q || p)) / 2 = sum_j (p_j - q_j) (log p_j - log q_j) / 2
Tensor consistency_loss(const OutputLayer& first, const OutputLayer& second, const Tensor& expected);

}  // namespace attune
