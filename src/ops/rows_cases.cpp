#include "attune/ops/rows.h"
#include "attune/random.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

// tokens, width, words
OpCase embedding_at(const Sizes& s, DType dtype) {
  const Tensor ids({s[0]}, DType::i32);
  for (int64_t i = 0; i < s[0]; ++i)
    ids.data<int32_t>()[i] =
        i % 5 == 3
            ? kNoWord
            : static_cast<int32_t>(Random(1).below(static_cast<uint64_t>(s[2]), static_cast<uint64_t>(i)));
  return {.name = "embedding",
          .inputs = {testing::random_tensor({s[2], s[1]}, 1, 1, dtype)},
          .run = [ids](const auto& in) { return embedding(in[0], ids, 1.5); },
          .learned = 1,
          .result = {s[0], s[1]}};
}

// Zeroing the gradient of all words would take most of the time.
const testing::RegisterOperation registered{
    {.name = "embedding",
     .at = embedding_at,
     .small = {{7, 3, 4}},
     .odd = {{1, 1, 1}, {0, 3, 4}, {50, 33, 7}, {300, 17, 1000}},
     .rows = {
         {.name = "embedding_train_1536x256x8000", .sizes = {1536, 256, 8000}, .zeroed_gradients = false}}}};

}  // namespace
}  // namespace attune
