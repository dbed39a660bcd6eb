// Noise in the model's input during training, so that it learns to cope with mistakes.
#pragma once

#include "models/model.h"
#include "train/train_config.h"

namespace attune {

// Word dropout: a share of the tokens becomes `unk`, except protected ones (<s>, </s>).
void drop_words(const Tensor& ids, double share, int32_t unk, int32_t first_word, const Random& random);

// Scheduled sampling (Bengio et al. 2015), for all tokens at once (Mihaylova and Martins 2019): with
// probability `share` the token before each expected one is replaced by the model's own prediction there.
// The share after that many batches, if it grows to `share`: by 1 - e(i), where e is Bengio's epsilon, linear
// (1 - i/k), exponential (exp(-i/k)) or the inverse sigmoid (k / (k + exp(i/k))).
double sampled_share(double share, SamplingGrowth growth, int64_t batches, int64_t k);
void sample_given(const Model& model, const Batch& batch, double share, const Random& random);

}  // namespace attune
