// The factors of an Adam step, computed once per step.
#pragma once

namespace attune {

template <class T>
struct AdamFactors {
  T gradient_scale;
  T beta1, rest1;  // rest = 1 - beta
  T beta2, rest2;
  T root_scale;  // 1 / sqrt(1 - beta2^t)
  T eps;
  T rate;  // learning rate / (1 - beta1^t)
  T keep;  // 1 - learning rate * weight decay
};

}  // namespace attune
