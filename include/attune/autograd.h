// Reverse-mode differentiation. An operation that wants gradients records, beside its forward code, a closure
// from the gradients of its outputs to those of its inputs; backward() runs the closures in reverse order.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "attune/tensor.h"

namespace attune {

// One gradient per input (or output), in order. An undefined entry adds nothing.
using Grads = std::vector<Tensor>;

struct Node {
  struct Edge {
    std::shared_ptr<Node> node;
    int output = 0;
  };

  std::string_view name;
  uint64_t sequence = 0;     // creation order: inputs come before outputs
  std::vector<Edge> inputs;  // an empty edge where an input needs no gradient
  std::function<Grads(const Grads&)> backward;
  std::vector<Shape> output_shapes;
  Grads output_gradients;  // filled during backward()
  Tensor leaf_gradient;    // leaves only: where their gradient accumulates

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();  // without recursion: graphs may be deep
};

// Whether operations record; false inside NoGrad.
bool grad_enabled();

class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

// Whether a result of these inputs needs a record.
template <class... Tensors>
bool recording(const Tensors&... inputs) {
  return grad_enabled() && (... || (inputs.node() != nullptr));
}

// Makes `outputs` results of the operation `name` (a string literal). The closure captures inputs and outputs
// by detach(): a captured output with its history would keep itself alive. An unused output has an undefined
// gradient. With one output the closure takes its gradient, which is always defined.
void record(std::string_view name, std::span<Tensor* const> outputs, std::span<const Tensor> inputs,
            std::function<Grads(const Grads&)> backward);
void record(std::string_view name, std::initializer_list<Tensor*> outputs,
            std::initializer_list<Tensor> inputs, std::function<Grads(const Grads&)> backward);
void record(std::string_view name, Tensor& output, std::initializer_list<Tensor> inputs,
            std::function<Grads(const Tensor&)> backward);

// A tensor that shares value's numbers and whose gradient accumulates in `gradient` (zeros if none is given).
Tensor leaf(const Tensor& value, Tensor gradient = {});

// The gradient of a leaf; undefined for other tensors. Closures may add to it directly and return an
// undefined gradient for that input, which saves a temporary of its size.
Tensor leaf_gradient(const Tensor& tensor);

// Accumulates the gradient of an input, for operations that use a large input again and again (the keys in
// every step of a decoder): a closure adds to sum() directly and returns an undefined gradient for that
// input.
class GradientSum {
 public:
  explicit GradientSum(const Tensor& input)
      : node_(input.node()), output_(input.output()), dtype_(input.dtype()) {}
  // During backward(): the gradient so far, zeros at first; undefined if the input needs none. Must not be
  // kept across another call of sum(), which may be for the same tensor.
  Tensor sum() const;

 private:
  std::weak_ptr<Node> node_;  // its users keep it alive
  int output_;
  DType dtype_;
};

// Adds d(loss)/d(leaf) to the gradient of every leaf that the loss (one number) depends on; `seed` scales it.
// The graph is consumed.
void backward(const Tensor& loss, double seed = 1.0);

}  // namespace attune
