#include "attune/ops/elementwise.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

// rows, columns
template <Activation f>
OpCase activation_at(const Sizes& s, DType dtype) {
  return {.name = std::string(name(f)),
          .inputs = {testing::random_tensor({s[0], s[1]}, 1, 1, dtype)},
          .run = [](const auto& in) { return activate(in[0], f); },
          .result = {s[0], s[1]}};
}

template <Activation f>
testing::Operation activation() {
  return {.name = std::string(name(f)),
          .at = activation_at<f>,
          .small = {{3, 5}},
          .odd = {{1, 1}, {1, 13}, {7, 1}, {0, 3}, {6, 5}, {70, 333}},
          .rows = {{.name = std::string(name(f)) + "_train_1536x1024", .sizes = {1536, 1024}}}};
}

const testing::RegisterOperation relu{activation<Activation::relu>()};
const testing::RegisterOperation gelu{activation<Activation::gelu>()};
const testing::RegisterOperation gelu_tanh{activation<Activation::gelu_tanh>()};
const testing::RegisterOperation tanh{activation<Activation::tanh>()};

}  // namespace
}  // namespace attune
