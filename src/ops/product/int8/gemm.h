// Int8Matrix: products with a quantised matrix (tensor/quantized.h). A row of A is quantised on the fly, in
// the same way:  a_i = s_i p_i,  |p| <= 127;  then
//   c_ij = (s_i scale_j) sum_k p_ik q_jk
// The sum is over whole numbers and exact, so its order does not matter: c has the same bits for any number
// of rows, columns and threads, and on every CPU. (Only adding it to the previous c may be rounded
// differently.) A row of A with a number that is not finite gives NaN; one whose numbers are all below 1e-36
// gives 0.
#pragma once

#include "ops/product/product_form.h"

namespace attune {

// How the sums are computed: as products of 16-bit numbers, which work on any CPU and cannot overflow, or by
// the products of bytes of AVX-512 VNNI or AVX-VNNI.
enum class Int8Scheme : uint8_t { words, vnni };
// On this CPU. ATTUNE_INT8=words in the environment is a bound, for measurements.
Int8Scheme fastest_int8_scheme();

constexpr int64_t kLongestInt8Sum = 65536;  // numbers; 255 * 128 * 65536 < 2^31

class Int8Matrix final : public ProductForm {
 public:
  // W^T of a quantised W [n, k].
  explicit Int8Matrix(const Tensor& weight, Int8Scheme scheme = fastest_int8_scheme());

  using ProductForm::multiply;
  int64_t panel_width() const override { return width_; }
  void multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                bool accumulate) const override;

 private:
  Int8Scheme scheme_;
  int64_t width_, depth_;  // depth: k padded with zeros
  Tensor panels_;          // i8 [panels, depth * width]: a few numbers of each column at a time
  Tensor scales_;          // f32 [panels * width]
};

}  // namespace attune
