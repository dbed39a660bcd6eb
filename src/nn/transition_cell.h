// A recurrent cell that takes one step at a time, with or without an input, with or without norms: the part
// of deep transitions (Pascanu et al. 2014; Miceli Barone et al. 2017).
#pragma once

#include <optional>

#include "nn/normed_linear.h"

namespace attune {

// What is normalised before the gates: nothing; the products of all gates together (as in Marian, with the
// bias after the norm); or, in a gru, those of r and z together and those of n by themselves (as in Nematus,
// with one more bias before the norm).
enum class CellNorm : uint8_t { none, cell, gates };
std::span<const char* const> enum_names(CellNorm);

struct CellShape {
  Cell cell;
  int64_t hidden;
  CellNorm norm;
  double epsilon;

  NormedLinear::Parts parts() const;
};

// With a = N(W x + b) and s = N(U h + d), or a = b if there is no input:
//   rnn:   h' = tanh(a + s)
//   gru:   r, z = sigmoid(a + s);  n = tanh(a_n + r s_n);  h' = (1 - z) n + z h
//   lstm:  i, f, o = sigmoid(a + s);  g = tanh(a_g + s_g);  c' = f c + i g;  h' = o tanh(c')
class TransitionCell {
 public:
  TransitionCell(const Scope& p, const CellShape& shape, int64_t in);  // in 0: no input

  bool has_input() const { return input_.has_value(); }
  // a for many tokens at once: [tokens, in] -> [tokens, gates h]
  Tensor inputs(const Tensor& x) const { return (*input_)(x); }
  // a, or undefined if there is no input, and the state of each sentence -> its next state.
  CellStates step(const Tensor& a, const CellStates& state) const;

 private:
  Cell cell_;
  std::optional<NormedLinear> input_;
  Tensor bias_;  // without input
  NormedLinear recurrent_;
};

}  // namespace attune
