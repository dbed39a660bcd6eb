#include "attune/ops/products.h"
#include "testing/onednn_run.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::OpRow;
using testing::Sizes;

using testing::random_tensor;

// m, k, n of the product [m, k] [k, n]; for a batch the number of products before them
template <bool transpose_a, bool transpose_b>
OpCase matmul_at(const Sizes& s, DType dtype) {
  const auto shape = [&](int64_t rows, int64_t columns) {
    return s.size() == 3 ? Shape{rows, columns} : Shape{s[0], rows, columns};
  };
  const int64_t m = s.end()[-3], k = s.end()[-2], n = s.end()[-1];
  return {.name = "matmul",
          .inputs = {random_tensor(transpose_a ? shape(k, m) : shape(m, k), 1, 1, dtype),
                     random_tensor(transpose_b ? shape(n, k) : shape(k, n), 2, 1, dtype)},
          .run = [](const auto& in) { return matmul(in[0], in[1], transpose_a, transpose_b); },
          .result = shape(m, n)};
}

template <bool transpose_a, bool transpose_b>
testing::Operation matmul_operation(const std::string& name, const std::vector<Sizes>& products) {
  std::vector<OpRow> rows;
  for (const Sizes& s : products)
    rows.push_back({.name = testing::row_name(name, s),
                    .sizes = s,
                    .forward_only = true,
                    .flops = 2. * static_cast<double>(s[0] * s[1] * s[2]),
                    .speed = 0.97,
                    .onednn = testing::onednn_run(transpose_a, transpose_b)});
  return {.name = name,
          .at = matmul_at<transpose_a, transpose_b>,
          .small = {{3, 2, 4}, {3, 2, 4, 3}},
          .odd = {{1, 1, 1},
                  {1, 33, 17},
                  {64, 5, 1},
                  {37, 70, 65},
                  {0, 4, 3},
                  {3, 4, 0},
                  {3, 0, 4},
                  {9, 5, 7, 6},
                  {1, 1, 33, 17}},
          .rows = rows};
}

testing::Operation plain() {
  auto operation = matmul_operation<false, false>(
      "matmul_nn", {{1536, 256, 1024}, {1536, 1024, 256}, {1024, 512, 2048}, {1536, 256, 8000}});
  operation.rows.push_back({.name = "matmul_batched_256x24x64x24",
                            .sizes = {256, 24, 64, 24},
                            .forward_only = true,
                            .flops = 2. * 256 * 24 * 64 * 24});
  return operation;
}

// Of training: y = x W^T forward (nt); dx = dy W (nn) and dW = dy^T x (tn) backward.
const testing::RegisterOperation nn{plain()};
const testing::RegisterOperation nt{
    matmul_operation<false, true>("matmul_nt", {{1536, 256, 1024}, {1024, 512, 2048}, {1536, 256, 8000}})};
const testing::RegisterOperation tn{
    matmul_operation<true, false>("matmul_tn", {{1024, 1536, 256}, {2048, 1024, 512}, {8000, 1536, 256}})};
const testing::RegisterOperation tt{matmul_operation<true, true>("matmul_tt", {})};

}  // namespace
}  // namespace attune
