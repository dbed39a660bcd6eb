// Layers without state: parameters and how to apply them. A layer is made from a Scope and is const
// afterwards.
#pragma once

#include <cmath>

#include "attune/ops.h"
#include "nn/low_rank.h"
#include "nn/ragged.h"
#include "nn/scope.h"

namespace attune {

// y = f(x W^T + b); with an adapter, W stays as it is (nn/low_rank.h).
struct Linear {
  Tensor weight, bias;
  std::optional<LowRankDelta> delta;

  Linear(const Scope& p, int64_t in, int64_t out, bool with_bias = true)
      : weight(p.param("weight", {out, in}, glorot())),
        bias(with_bias ? p.param("bias", {out}, zeros()) : Tensor()),
        delta(LowRankDelta::of(p, in, out)) {}

  Tensor operator()(const Tensor& x, Activation f = Activation::none) const {
    if (!delta) return linear(x, weight, bias, f);
    const Tensor y = add(linear(x, weight, bias), (*delta)(x));
    return f == Activation::none ? y : activate(y, f);
  }
};

// Rows of a table, one per word.
struct Embedding {
  Tensor weight;

  Embedding(const Scope& p, int64_t words, int64_t d)
      : weight(p.param("weight", {words, d}, normal(1 / std::sqrt(static_cast<double>(d))))) {}

  Tensor operator()(const Tensor& ids, double scale = 1) const { return embedding(weight, ids, scale); }
};

// One direction of a recurrent layer; the initial values are uniform in +-1/sqrt(h).
struct Recurrent {
  Cell cell;
  CellWeights weights;

  Recurrent(const Scope& p, Cell kind, int64_t in, int64_t h)
      : cell(kind),
        weights{p.param("input", {gates(kind) * h, in}, uniform(1 / std::sqrt(static_cast<double>(h)))),
                p.param("recurrent", {gates(kind) * h, h}, uniform(1 / std::sqrt(static_cast<double>(h)))),
                p.param("input_bias", {gates(kind) * h}, zeros()),
                p.param("recurrent_bias", {gates(kind) * h}, zeros())} {}

  CellStates operator()(const Tensor& x, const Rows& rows, const CellStates& initial = {},
                        bool reverse = false) const {
    return recurrence(cell, x, rows, weights, initial, reverse);
  }
};

}  // namespace attune
