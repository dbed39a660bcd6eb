// ProductForm: a matrix B [k, n] laid out for products A B, made once if B is constant. Whatever the number
// of rows, threads and columns at a time, each number of the result is one sum over k in a fixed order: a
// row's bits do not depend on its neighbours.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "attune/tensor.h"
#include "ops/product/gemm.h"

namespace attune {

// Columns [begin, end) of a product; begin is a multiple of the panel width.
struct ColumnRange {
  int64_t begin, end;
};

class ProductForm {
 public:
  virtual ~ProductForm() = default;

  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  virtual int64_t panel_width() const = 0;          // columns computed together
  virtual int64_t most_rows() const { return 72; }  // that stay in the second-level cache

  // c[m, n] = a[m, k] b, or += if accumulate. Runs in the calling thread.
  void multiply(int64_t m, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                bool accumulate = false) const {
    multiply(m, {0, n_}, a, a_stride, c, c_stride, accumulate);
  }
  // The same, distributed over all threads.
  void multiply_parallel(int64_t m, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                         bool accumulate = false) const;
  // Only some columns; c still points to the first of all.
  virtual void multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c,
                        int64_t c_stride, bool accumulate) const = 0;

 protected:
  ProductForm(int64_t k, int64_t n) : k_(k), n_(n) {}
  ProductForm(const ProductForm&) = default;
  ProductForm& operator=(const ProductForm&) = default;

 private:
  int64_t k_, n_;
};

// op(b) is [k, n]: f32 numbers in the precision of a weight.
std::unique_ptr<ProductForm> make_form(int64_t k, int64_t n, MatrixOf<const float> b, Precision precision,
                                       const std::function<void(int64_t, int64_t)>& packed = {});

// W^T of a weight W [n, k] that is constant (see tensor/constants.h), kept with it. Null if it is not,
// or reference kernels are forced. A quantised or bf16 weight always has a form.
std::shared_ptr<const ProductForm> kept_form(const Tensor& weight);
// The same; for a weight that is not constant, a new form that is not kept.
std::shared_ptr<const ProductForm> form_of(const Tensor& weight);

// Which side of a result threads share first: columns, so that each reads its own part of the matrix; or
// rows, if it is a's rows that cost something to prepare.
enum class Cut : uint8_t { columns, rows };

// Calls body(first row, last row, columns) in parallel, for pieces that cover a result [m, n] and whose rows
// stay in the second-level cache.
void for_product_pieces(int64_t m, const ProductForm& form,
                        const std::function<void(int64_t, int64_t, ColumnRange)>& body,
                        Cut cut = Cut::columns);

// y [rows, n] = x W^T for any weight W [n, k], f32; all may be views.
void multiply_by(const Tensor& x, const Tensor& weight, const Tensor& y);

}  // namespace attune
