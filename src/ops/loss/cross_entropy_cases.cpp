#include "attune/ops/loss.h"
#include "attune/random.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

using testing::random_tensor;

// tokens, width, words
OpCase loss_at(const Sizes& s, DType dtype) {
  const Tensor targets({s[0]}, DType::i32);
  for (int64_t i = 0; i < s[0]; ++i)
    targets.data<int32_t>()[i] =
        static_cast<int32_t>(Random(3).below(static_cast<uint64_t>(s[2]), static_cast<uint64_t>(i)));
  return {.name = "linear_cross_entropy",
          .inputs = {random_tensor({s[0], s[1]}, 4, 1, dtype), random_tensor({s[2], s[1]}, 1, 0.05, dtype),
                     random_tensor({s[2]}, 2, 0.05, dtype)},
          .run = [targets](
                     const auto& in) { return linear_cross_entropy(in[0], in[1], in[2], targets, 0.1).loss; },
          .learned = 2};
}

// One product forward, and two like it backward.
testing::OpRow row(const std::string& name, const Sizes& sizes) {
  return {.name = name,
          .sizes = sizes,
          .flops = 6. * static_cast<double>(sizes[0] * sizes[1] * sizes[2]),
          .speed = 1.3,
          .memory_share = 0.25};
}

const testing::RegisterOperation registered{
    {.name = "linear_cross_entropy",
     .at = loss_at,
     .small = {{5, 3, 4}},
     .odd = {{1, 1, 1}, {7, 5, 33}, {20, 16, 300}},
     .rows = {row("linear_cross_entropy_train_1536x256x8000", {1536, 256, 8000}),
              row("linear_cross_entropy_train_1024x512x32000", {1024, 512, 32000})}}};

}  // namespace
}  // namespace attune
