// Scores that are a dot product after keys() has done the rest: they share attention's fused kernel.
#pragma once

#include "nn/score.h"

namespace attune {

struct DotScore : Score {
  explicit DotScore(double factor) : scale(factor) {}

  Tensor energy(const Tensor& query, const Tensor& keys, const Attending& who) const override {
    return dot_energy(query, keys, who.queries, who.keys, scale);
  }
  Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                const Attending& who) const override {
    return attention(query, keys, values, who.queries, who.keys,
                     {.heads = who.heads,
                      .causal = who.causal,
                      .scale = scale,
                      .slopes = who.slopes,
                      .places = who.places,
                      .dropout = who.dropout,
                      .lens = who.lens,
                      .name = who.name});
  }

  double scale;
};

}  // namespace attune
