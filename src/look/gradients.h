// Gradient x input: how what a model wrote depends, to first order, on what it read.
#pragma once

#include <vector>

#include "decode/text_model.h"
#include "view/attention.h"

namespace attune {

// For each written token (a row) and each token that the model had read (a column), sum_i x_i dL / d x_i with
// the token's vector x and L = log p(written token | what came before). Of a model that writes; `read`: its
// source, `written`: with </s> if it ended. A UsageError for a model without gradients (a quantised one).
std::vector<view::Gradients> gradients_by_input(const TextModel& model, const std::vector<int32_t>& read,
                                                const std::vector<int32_t>& written);

}  // namespace attune
