// Matrix products on the shapes of training and decoding, beside bare oneDNN; and the machine's peak.
#include <dnnl.h>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

struct Product {
  int64_t m, k, n;
  bool transpose_a = false, transpose_b = false;

  std::string layout() const { return std::string(transpose_a ? "t" : "n") + (transpose_b ? "t" : "n"); }
  double flops() const { return 2. * static_cast<double>(m * k * n); }
  Tensor a() const { return random_input(transpose_a ? Shape{k, m} : Shape{m, k}, 1); }
  Tensor b() const { return random_input(transpose_b ? Shape{n, k} : Shape{k, n}, 2); }
};

Work onednn(const Product& p) {
  return [p, a = p.a(), b = p.b(), c = Tensor({p.m, p.n})] {
    dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, 1, a.data<float>(),
               a.columns(), b.data<float>(), b.columns(), 0, c.data<float>(), p.n);
  };
}

Work by_matmul(const Product& p) {
  return [p, a = p.a(), b = p.b()] {
    const NoGrad no_grad;
    matmul(a, b, p.transpose_a, p.transpose_b);
  };
}

Work by_linear(const Product& p) {
  return [x = p.a(), weight = p.b()] {
    const NoGrad no_grad;
    linear(x, weight);
  };
}

std::vector<BenchCase> products() {
  std::vector<BenchCase> cases;
  const Product peak{2048, 2048, 2048};
  cases.push_back({.name = "peak", .set_up = [peak] { return onednn(peak); }, .flops = peak.flops()});
  const auto add = [&](const std::string& name, Work (*work)(const Product&), const Product& p) {
    cases.push_back({.name = row_name(name, {p.m, p.k, p.n}),
                     .set_up = [work, p] { return work(p); },
                     .flops = p.flops(),
                     .speed = 0.97,
                     .onednn = [p] { return onednn(p); }});
  };
  // Training: x W^T forward, dy W and dy^T x backward.
  for (const Product& p : {Product{1536, 256, 1024},
                           {1536, 1024, 256},
                           {1024, 512, 2048},
                           {1536, 256, 8000},
                           {1536, 256, 1024, false, true},
                           {1024, 512, 2048, false, true},
                           {1536, 256, 8000, false, true},
                           {1024, 1536, 256, true, false},
                           {2048, 1024, 512, true, false},
                           {8000, 1536, 256, true, false}})
    add("matmul_" + p.layout(), by_matmul, p);
  // Decoding: a token for each of a few hypotheses.
  for (const int64_t rows : {1, 4, 32}) {
    add("linear", by_linear, {rows, 256, 1024, false, true});
    add("linear", by_linear, {rows, 512, 2048, false, true});
  }
  return cases;
}

const RegisterCases registered(products);

}  // namespace
}  // namespace attune::bench
