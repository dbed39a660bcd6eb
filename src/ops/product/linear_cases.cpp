#include <fmt/format.h>

#include "attune/ops/products.h"
#include "testing/onednn_run.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::OpRow;
using testing::Sizes;

using testing::random_tensor;

const std::vector<Sizes> kOdd{{1, 1, 1}, {3, 17, 33}, {0, 4, 5}, {130, 35, 70}, {200, 300, 65}};

// rows, width of the input, width of the output
OpCase product_at(const Sizes& s, DType dtype) {
  return {.name = "linear",
          .inputs = {random_tensor({s[0], s[1]}, 1, 1, dtype), random_tensor({s[2], s[1]}, 2, 1, dtype)},
          .run = [](const auto& in) { return linear(in[0], in[1]); },
          .learned = 1,
          .result = {s[0], s[2]}};
}

template <Activation f>
OpCase layer_at(const Sizes& s, DType dtype) {
  OpCase layer = product_at(s, dtype);
  layer.inputs.push_back(random_tensor({s[2]}, 3, 1, dtype));
  layer.run = [](const auto& in) { return linear(in[0], in[1], in[2], f); };
  layer.learned = 2;
  return layer;
}

// Decoding: a token for each of a few hypotheses.
std::vector<OpRow> decoding_rows() {
  std::vector<OpRow> rows;
  for (const int64_t m : {1, 4, 32})
    for (const Sizes& s : {Sizes{m, 256, 1024}, {m, 512, 2048}})
      rows.push_back({.name = testing::row_name("linear", s),
                      .sizes = s,
                      .forward_only = true,
                      .flops = 2. * static_cast<double>(s[0] * s[1] * s[2]),
                      .speed = 0.97,
                      .onednn = testing::onednn_run(false, true)});
  return rows;
}

const testing::RegisterOperation product{
    {.name = "linear", .at = product_at, .small = {{3, 4, 5}}, .odd = kOdd, .rows = decoding_rows()}};

template <Activation f>
testing::Operation layer() {
  return {.name = fmt::format("linear, bias and {}", name(f)),
          .at = layer_at<f>,
          .small = {{3, 4, 5}},
          .odd = kOdd};
}

const testing::RegisterOperation none{layer<Activation::none>()};
const testing::RegisterOperation relu{layer<Activation::relu>()};
const testing::RegisterOperation gelu{layer<Activation::gelu>()};
const testing::RegisterOperation silu{layer<Activation::silu>()};
const testing::RegisterOperation tanh{layer<Activation::tanh>()};
const testing::RegisterOperation sigmoid{layer<Activation::sigmoid>()};

}  // namespace
}  // namespace attune
