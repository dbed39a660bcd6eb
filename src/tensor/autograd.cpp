#include "attune/autograd.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "base/threads/parallel.h"
#include "tensor/after_each.h"
#include "tensor/dispatch.h"
#include "tensor/format.h"
#include "tensor/storage.h"

namespace attune {
namespace {

thread_local bool enabled = true;
std::atomic<uint64_t> next_sequence = 0;  // across threads: a graph may span them

// to += from
void add_into(const Tensor& to, const Tensor& from) {
  const int64_t n = to.columns();
  dispatch(to.dtype(), [&]<class T>() {
    parallel_for(to.rows(), 1 + 32768 / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        T* y = to.data<T>() + r * to.row_stride();
        const T* x = from.data<T>() + r * from.row_stride();
        for (int64_t c = 0; c < n; ++c) y[c] += x[c];
      }
    });
  });
}

// Another slot may share a gradient's memory (the gradient of a + b goes to both), so only sole owners add in
// place.
const Tensor& sole_owner(Tensor& sum) {
  if (sum.storage().use_count() > 1) sum = sum.clone();
  return sum;
}

void accumulate(const Node& from, const Node::Edge& edge, const Tensor& gradient) {
  Node& node = *edge.node;
  const auto slot = static_cast<size_t>(edge.output);
  if (gradient.shape() != node.output_shapes[slot])
    fail("{}: its backward pass gave a gradient of shape {} for an input of shape {}", from.name,
         gradient.shape(), node.output_shapes[slot]);
  if (node.leaf_gradient) return add_into(node.leaf_gradient, gradient);
  Tensor& sum = node.output_gradients[slot];
  if (!sum)
    sum = gradient;
  else
    add_into(sole_owner(sum), gradient);
}

std::vector<std::shared_ptr<Node>> reachable(const std::shared_ptr<Node>& root) {
  std::vector<std::shared_ptr<Node>> order{root};
  std::unordered_set<const Node*> seen{root.get()};
  for (size_t i = 0; i < order.size(); ++i) {
    const auto node = order[i];
    for (const auto& edge : node->inputs)
      if (edge.node && seen.insert(edge.node.get()).second) order.push_back(edge.node);
  }
  std::ranges::sort(order, [](const auto& a, const auto& b) { return a->sequence > b->sequence; });
  return order;
}

void run_backward(Node& node) {
  if (node.leaf_gradient || std::ranges::none_of(node.output_gradients, &Tensor::defined)) return;
  check(node.backward != nullptr,
        "backward: the history of '{}' was already consumed by an earlier backward()", node.name);
  const Grads gradients = node.backward(node.output_gradients);
  check(gradients.size() == node.inputs.size(), "{}: its backward pass gave {} gradients for {} inputs",
        node.name, gradients.size(), node.inputs.size());
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i] && node.inputs[i].node) accumulate(node, node.inputs[i], gradients[i]);
}

// How many operations of a graph have yet to add to each leaf.
class WaitingLeaves {
 public:
  explicit WaitingLeaves(std::span<const std::shared_ptr<Node>> nodes) {
    for (const auto& node : nodes)
      for (const auto& edge : node->inputs)
        if (edge.node && edge.node->leaf_gradient) ++uses_[edge.node.get()];
  }

  // The gradients that became complete with `node`.
  std::vector<Tensor> done_with(const Node& node) {
    std::vector<Tensor> done;
    for (const auto& edge : node.inputs)
      if (edge.node && edge.node->leaf_gradient && --uses_[edge.node.get()] == 0)
        done.push_back(edge.node->leaf_gradient);
    return done;
  }

 private:
  std::unordered_map<const Node*, int64_t> uses_;
};

}  // namespace

Node::~Node() {
  std::vector<Edge> pending = std::move(inputs);
  while (!pending.empty()) {
    const Edge edge = std::move(pending.back());
    pending.pop_back();
    if (edge.node && edge.node.use_count() == 1) {
      std::ranges::move(edge.node->inputs, std::back_inserter(pending));
      edge.node->inputs.clear();
    }
  }
}

bool grad_enabled() { return enabled; }

NoGrad::NoGrad() : before_(enabled) { enabled = false; }

NoGrad::~NoGrad() { enabled = before_; }

void record(std::string_view name, std::span<Tensor* const> outputs, std::span<const Tensor> inputs,
            std::function<Grads(const Grads&)> backward) {
  auto node = std::make_shared<Node>();
  node->name = name;
  node->sequence = next_sequence++;
  node->backward = std::move(backward);
  for (const Tensor& input : inputs) node->inputs.push_back({input.node(), input.output()});
  int index = 0;
  for (Tensor* output : outputs) {
    node->output_shapes.push_back(output->shape());
    output->set_node(node, index++);
  }
  node->output_gradients.resize(outputs.size());
}

void record(std::string_view name, std::initializer_list<Tensor*> outputs,
            std::initializer_list<Tensor> inputs, std::function<Grads(const Grads&)> backward) {
  record(name, std::span(outputs.begin(), outputs.size()), std::span(inputs.begin(), inputs.size()),
         std::move(backward));
}

void record(std::string_view name, Tensor& output, std::initializer_list<Tensor> inputs,
            std::function<Grads(const Tensor&)> backward) {
  record(name, {&output}, inputs,
         [backward = std::move(backward)](const Grads& gradients) { return backward(gradients[0]); });
}

Tensor leaf(const Tensor& value, Tensor gradient) {
  if (!gradient) gradient = Tensor::zeros(value.shape(), value.dtype());
  check(gradient.shape() == value.shape() && gradient.dtype() == value.dtype(),
        "leaf: the gradient is {} {}, but the value is {} {}", gradient.dtype(), gradient.shape(),
        value.dtype(), value.shape());
  Tensor tensor = value.detach();
  auto node = std::make_shared<Node>();
  node->name = "leaf";
  node->sequence = next_sequence++;
  node->output_shapes = {value.shape()};
  node->output_gradients.resize(1);
  node->leaf_gradient = std::move(gradient);
  tensor.set_node(std::move(node), 0);
  return tensor;
}

Tensor leaf_gradient(const Tensor& tensor) { return tensor.node() ? tensor.node()->leaf_gradient : Tensor(); }

Tensor GradientSum::sum() const {
  const auto node = node_.lock();
  if (!node || node->leaf_gradient) return node ? node->leaf_gradient : Tensor();
  const auto slot = static_cast<size_t>(output_);
  Tensor& sum = node->output_gradients[slot];
  if (!sum) sum = Tensor::zeros(node->output_shapes[slot], dtype_);
  return sole_owner(sum);
}

void backward(const Tensor& loss, double seed) { backward(loss, seed, {}); }

void backward(const Tensor& loss, double seed, const AfterEach& after_each) {
  check(loss.defined() && loss.size() == 1, "backward: the loss must be one number, but its shape is {}",
        loss.shape());
  check(loss.node() != nullptr, "backward: the loss depends on nothing that has a gradient");
  const NoGrad no_grad;
  auto nodes = reachable(loss.node());
  accumulate(*loss.node(), {loss.node(), loss.output()}, Tensor::full(loss.shape(), seed, loss.dtype()));
  std::optional<WaitingLeaves> waiting;
  if (after_each) waiting.emplace(nodes);
  for (auto& node : nodes) {
    run_backward(*node);
    if (waiting) after_each(waiting->done_with(*node));
    if (!node->leaf_gradient) {
      node->backward = nullptr;
      node->output_gradients.assign(node->output_gradients.size(), {});
    }
    node.reset();
  }
}

}  // namespace attune
