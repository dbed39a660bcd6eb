#include "attune/ops/attention.h"
#include "attune/ops/rows.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

using testing::random_tensor;

// sentences, queries and keys of each, width of the score, width of the values
OpCase additive_at(const Sizes& s, DType dtype) {
  const Rows queries = Rows::uniform(s[0], s[1]), keys = Rows::uniform(s[0], s[2]);
  return {
      .name = "additive_attention",
      .inputs = {random_tensor({queries.total(), s[3]}, 5, 1, dtype),
                 random_tensor({keys.total(), s[3]}, 1, 1, dtype),
                 random_tensor({keys.total(), s[4]}, 2, 1, dtype), random_tensor({s[3]}, 4, 0.05, dtype)},
      .run = [queries,
              keys](const auto& in) { return additive_attention(in[0], in[1], in[3], in[2], queries, keys); },
      .learned = 1,
      .result = {queries.total(), s[4]}};
}

// Query by query, as an RNN decoder asks: sentences, steps, keys of each, width of the score, of the values.
OpCase steps_at(const Sizes& s, DType dtype) {
  const Rows query = Rows::uniform(s[0], 1), keys = Rows::uniform(s[0], s[2]);
  OpCase steps{.name = "additive_steps",
               .inputs = {random_tensor({keys.total(), s[3]}, 1, 1, dtype),
                          random_tensor({keys.total(), s[4]}, 2, 1, dtype)},
               .run =
                   [query, keys](const auto& in) {
                     std::vector<Tensor> contexts;
                     for (size_t i = 2; i + 1 < in.size(); ++i)
                       contexts.push_back(additive_attention(in[i], in[0], in.back(), in[1], query, keys));
                     return concat_rows(contexts);
                   },
               .learned = 1,
               .result = {s[1] * s[0], s[4]}};
  for (int64_t step = 0; step < s[1]; ++step)
    steps.inputs.push_back(random_tensor({s[0], s[3]}, 5 + static_cast<uint64_t>(step), 1, dtype));
  steps.inputs.push_back(random_tensor({s[3]}, 4, 0.05, dtype));
  return steps;
}

const testing::RegisterOperation whole{
    {.name = "additive_attention",
     .at = additive_at,
     .small = {{2, 3, 2, 3, 4}},
     .odd = {{1, 1, 1, 4, 5}, {0, 2, 3, 4, 5}, {3, 2, 9, 65, 50}, {1, 70, 33, 20, 7}},
     .rows = {{.name = "additive_train_64x24x24", .sizes = {64, 24, 24, 512, 1024}, .speed = 3}}}};

const testing::RegisterOperation steps{
    {.name = "additive_steps",
     .at = steps_at,
     .small = {{2, 3, 2, 3, 4}},
     .odd = {{1, 1, 1, 4, 5}, {0, 2, 3, 4, 5}, {3, 4, 9, 65, 50}},
     .rows = {{.name = "additive_steps_train_64x24x24", .sizes = {64, 24, 24, 512, 1024}, .speed = 3}}}};

}  // namespace
}  // namespace attune
