// Products with constant weights, as decoding has them, and with the rows of a training batch: f32 beside
// oneDNN's; bf16 and int8 beside oneDNN's products of such numbers, which neither round nor quantise their
// input nor scale their result.
#include "bench/bench_case.h"
#include "ops/product/bf16/matrix.h"
#include "ops/product/int8/gemm.h"
#include "ops/product/onednn.h"
#include "ops/product/packed_gemm.h"
#include "tensor/quantized.h"
#include "testing/operation.h"

namespace attune::bench {
namespace {

struct Product {
  int64_t m, k, n;

  Tensor x() const { return random_input({m, k}, 1); }
  Tensor weight() const { return random_input({n, k}, 2, 0.05); }
};

Work by(const Product& p, std::shared_ptr<const ProductForm> form) {
  return [x = p.x(), y = Tensor({p.m, p.n}), form = std::move(form)] {
    form->multiply_parallel(x.rows(), x.data<float>(), x.row_stride(), y.data<float>(), y.row_stride());
  };
}

Work f32(const Product& p) {
  const Tensor w = p.weight();
  return by(p, std::make_shared<PackedMatrix>(p.k, p.n, MatrixOf<const float>{w.data<float>(), p.k, true}));
}

Work bf16(const Product& p) {
  const Tensor w = p.weight();
  return by(p, std::make_shared<Bf16Matrix>(p.k, p.n, MatrixOf<const float>{w.data<float>(), p.k, true}));
}

Work int8(const Product& p) { return by(p, std::make_shared<Int8Matrix>(quantized(p.weight()))); }

Work onednn_f32(const Product& p) {
  return [x = p.x(), w = p.weight()] { onednn_product(x, w, false, true); };
}

Work onednn_bf16(const Product& p) {
  return
      [x = rounded(p.x()), w = rounded(p.weight()), y = Tensor({p.m, p.n})] { onednn_bf16_product(x, w, y); };
}

Work onednn_int8(const Product& p) {
  return [x = quantized(p.x()), w = quantized(p.weight()), y = Tensor({p.m, p.n}, DType::i32)] {
    onednn_int8_product(x, w, y);
  };
}

std::vector<BenchCase> products() {
  std::vector<BenchCase> cases;
  const auto add = [&](const std::string& name, const Product& p, Work (*ours)(const Product&),
                       Work (*theirs)(const Product&)) {
    cases.push_back({.name = testing::row_name(name, {p.m, p.k, p.n}),
                     .set_up = [=] { return ours(p); },
                     .flops = 2. * static_cast<double>(p.m * p.k * p.n),
                     .onednn = has_onednn() ? std::function<Work()>([=] { return theirs(p); }) : nullptr});
  };
  for (const int64_t rows : {1, 4, 32, 128, 1536})
    for (const auto& [k, n] : {std::pair<int64_t, int64_t>{256, 1024}, {512, 2048}, {512, 32000}}) {
      add("linear_constant", {rows, k, n}, f32, onednn_f32);
      add("linear_bf16", {rows, k, n}, bf16, onednn_bf16);
      add("linear_int8", {rows, k, n}, int8, onednn_int8);
    }
  return cases;
}

const RegisterCases registered(products);

}  // namespace
}  // namespace attune::bench
