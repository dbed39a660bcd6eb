#include "attune/ops/recurrence.h"
#include "attune/ops/rows.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

// Both directions of a layer. Width of the tokens, width of the states, and the lengths of the sentences.
template <Cell cell>
OpCase layer_at(const Sizes& s, DType dtype) {
  const int64_t in = s[0], h = s[1], gate_rows = gates(cell) * h;
  const Rows rows(std::vector<int64_t>(s.begin() + 2, s.end()));
  OpCase layer{.name = std::string(name(cell)),
               .inputs = {testing::random_tensor({rows.total(), in}, 5, 1, dtype)},
               .run =
                   [rows](const auto& x) {
                     const auto weights = [&](size_t i) {
                       return CellWeights{x[i], x[i + 1], x[i + 2], x[i + 3]};
                     };
                     return concat_columns({recurrence(cell, x[0], rows, weights(1)).h,
                                            recurrence(cell, x[0], rows, weights(5), {}, true).h});
                   },
               .learned = 8,
               .result = {rows.total(), 2 * h}};
  for (const uint64_t direction : {0, 1})
    for (const Shape& shape : {Shape{gate_rows, in}, {gate_rows, h}, {gate_rows}, {gate_rows}})
      layer.inputs.push_back(
          testing::random_tensor(shape, 1 + layer.inputs.size() % 4 + direction, 0.05, dtype));
  return layer;
}

Sizes layer_sizes(int64_t in, int64_t h, const std::vector<int64_t>& lengths) {
  Sizes sizes{in, h};
  sizes.insert(sizes.end(), lengths.begin(), lengths.end());
  return sizes;
}

// 64 sentences of 5 to 44 tokens, 24 on average, in no order.
std::vector<int64_t> mixed_lengths() {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 64; ++i) lengths.push_back(5 + i * 37 % 64 * 40 / 64);
  return lengths;
}

template <Cell cell>
testing::OpRow train(const std::string& lengths_name, const std::vector<int64_t>& lengths, double speed) {
  constexpr int64_t kIn = 256, kHidden = 512;
  return {
      .name = std::string(name(cell)) + "_train_" + lengths_name,
      .sizes = layer_sizes(kIn, kHidden, lengths),
      .flops = 6. * 2 * static_cast<double>(Rows(lengths).total() * gates(cell) * kHidden * (kIn + kHidden)),
      .speed = speed};
}

template <Cell cell>
testing::Operation layer() {
  return {.name = std::string(name(cell)),
          .at = layer_at<cell>,
          .small = {{2, 3, 3, 0, 1, 5}},
          .odd = {{1, 1, 1}, {3, 7, 2, 5, 0}, {5, 33, 3, 0, 1, 5, 2, 5}},
          .rows = {train<cell>("64x24", std::vector<int64_t>(64, 24), 1.3),
                   train<cell>("mixed", mixed_lengths(), 1.8)}};
}

const testing::RegisterOperation gru{layer<Cell::gru>()};
const testing::RegisterOperation lstm{layer<Cell::lstm>()};

}  // namespace
}  // namespace attune
