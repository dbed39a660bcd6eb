// Scores that are a dot product after keys() has done the rest: they share attention's fused kernel.
#pragma once

#include "nn/attention/score.h"

namespace attune {

struct DotScore : Score {
  explicit DotScore(double factor) : scale(factor) {}

  Tensor energy(const Tensor& query, const Tensor& keys, const Attending& who) const override {
    return dot_energy(query, keys, who.queries, who.keys, scale);
  }
  Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                const Attending& who) const override {
    if (!who.fits_kernels()) return Score::attend(query, keys, values, who);
    return attention(query, keys, values, who.queries, who.keys,
                     {.heads = who.heads,
                      .sees = who.sees,
                      .centres = who.centres,
                      .scale = scale,
                      .bias = who.bias,
                      .places = who.places,
                      .dropout = who.dropout,
                      .lens = who.lens,
                      .name = who.name});
  }

  double scale;
};

}  // namespace attune
