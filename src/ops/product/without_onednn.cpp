#include "base/check.h"
#include "ops/product/onednn.h"

namespace attune {
namespace {

[[noreturn]] void missing() { fail("this attune was built without oneDNN"); }

}  // namespace

bool has_onednn() { return false; }
bool onednn_keeps_order() { return false; }
std::string onednn_version() { return "none"; }

void onednn_gemm(int64_t, int64_t, int64_t, MatrixOf<const float>, MatrixOf<const float>, MatrixOf<float>,
                 float, float) {
  missing();
}
Tensor onednn_product(const Tensor&, const Tensor&, bool, bool) { missing(); }
void onednn_bf16_product(const Tensor&, const Tensor&, const Tensor&) { missing(); }
void onednn_int8_product(const Tensor&, const Tensor&, const Tensor&) { missing(); }

}  // namespace attune
