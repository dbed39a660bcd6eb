#include "attune/ops/attention.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

// sentences, heads, tokens of each, width of a head, and how many tokens before and after it one sees
OpCase attention_at(const Sizes& s, DType dtype) {
  const Band sees = s.size() > 4 ? Band{s[4], s[4]} : Band{};
  const Shape shape{s[0] * s[2], s[1] * s[3]};
  return {.name = "attention",
          .inputs = {testing::random_tensor(shape, 1, 1, dtype), testing::random_tensor(shape, 2, 1, dtype),
                     testing::random_tensor(shape, 3, 1, dtype)},
          .run =
              [rows = Rows::uniform(s[0], s[2]), heads = static_cast<int>(s[1]), sees](const auto& in) {
                return attention(in[0], in[1], in[2], rows, rows, {.heads = heads, .sees = sees});
              },
          .result = shape};
}

// Two products forward, and four more backward.
double flops(const Sizes& s, double products) {
  return products * 2 * static_cast<double>(s[0] * s[1] * s[2] * (s.size() > 4 ? 2 * s[4] + 1 : s[2]) * s[3]);
}

testing::OpRow forward(const std::string& name, const Sizes& s) {
  return {.name = name, .sizes = s, .forward_only = true, .flops = flops(s, 2), .speed = 3};
}

testing::OpRow train(const std::string& name, const Sizes& s, double megabytes = 0) {
  return {.name = name, .sizes = s, .flops = flops(s, 6), .speed = 2.5, .megabytes = megabytes};
}

const testing::RegisterOperation registered{
    {.name = "attention",
     .at = attention_at,
     .small = {{2, 2, 3, 2}},
     .odd =
         {{2, 2, 150, 16, 40}, {1, 1, 1, 1}, {0, 2, 3, 4}, {2, 3, 13, 16}, {3, 2, 49, 33}, {1, 2, 150, 64}},
     .tolerance = 5e-5,
     .rows = {forward("attention_forward_8x8x512x64", {8, 8, 512, 64}),
              forward("attention_forward_1x8x2048x64", {1, 8, 2048, 64}),
              train("attention_train_8x8x512x64", {8, 8, 512, 64}),
              train("attention_train_1x8x2048x64", {1, 8, 2048, 64}),
              train("attention_train_1x8x8192x64", {1, 8, 8192, 64}, 100),
              train("attention_train_1x8x8192x64_window128", {1, 8, 8192, 64, 128}, 100)}}};

}  // namespace
}  // namespace attune
