#include "attune/ops/norms.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

using testing::random_tensor;

const std::vector<Sizes> kOdd{{1, 5}, {3, 17}, {0, 4}, {6, 16}, {150, 33}, {70, 300}};

// rows, columns
OpCase layer_norm_at(const Sizes& s, DType dtype) {
  const Tensor gamma = random_tensor({s[1]}, 3, 1, dtype), beta = random_tensor({s[1]}, 4, 1, dtype);
  return {.name = "layer_norm",
          .inputs = {random_tensor({s[0], s[1]}, 1, 2, dtype), gamma, beta},
          .run = [](const auto& in) { return layer_norm(in[0], in[1], in[2]); },
          .learned = 2,
          .result = {s[0], s[1]}};
}

OpCase rms_norm_at(const Sizes& s, DType dtype) {
  const Tensor gamma = random_tensor({s[1]}, 3, 1, dtype);
  return {.name = "rms_norm",
          .inputs = {random_tensor({s[0], s[1]}, 1, 2, dtype), gamma},
          .run = [](const auto& in) { return rms_norm(in[0], in[1]); },
          .learned = 1,
          .result = {s[0], s[1]}};
}

OpCase residual_norm_at(const Sizes& s, DType dtype) {
  const Tensor gamma = random_tensor({s[1]}, 3, 1, dtype), beta = random_tensor({s[1]}, 4, 1, dtype);
  return {.name = "residual_norm",
          .inputs = {random_tensor({s[0], s[1]}, 1, 2, dtype), random_tensor({s[0], s[1]}, 2, 1, dtype),
                     gamma, beta},
          .run =
              [](const auto& in) {
                return residual_norm(in[0], in[1], in[2], in[3], {0.1, Random(6)}).normed;
              },
          .learned = 2,
          .result = {s[0], s[1]}};
}

const testing::RegisterOperation registered_layer_norm{
    {.name = "layer_norm", .at = layer_norm_at, .small = {{3, 6}}, .odd = kOdd, .tolerance = 1e-4}};

const testing::RegisterOperation registered_rms_norm{
    {.name = "rms_norm",
     .at = rms_norm_at,
     .small = {{3, 6}},
     .odd = kOdd,
     .tolerance = 1e-4,
     .rows = {{.name = "rms_norm_train_1536x256", .sizes = {1536, 256}}}}};

const testing::RegisterOperation registered_residual_norm{
    {.name = "residual_norm",
     .at = residual_norm_at,
     .small = {{3, 6}},
     .odd = kOdd,
     .tolerance = 1e-4,
     .rows = {{.name = "residual_norm_train_1536x256", .sizes = {1536, 256}, .speed = 2},
              {.name = "residual_norm_train_1024x512", .sizes = {1024, 512}, .speed = 2}}}};

}  // namespace
}  // namespace attune
