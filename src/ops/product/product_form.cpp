#include "ops/product/product_form.h"

#include <algorithm>

#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/product/bf16/matrix.h"
#include "ops/product/bf16/plain.h"
#include "ops/product/gemm.h"
#include "ops/product/int8/gemm.h"
#include "ops/product/int8/plain.h"
#include "ops/product/packed_gemm.h"
#include "tensor/constants.h"
#include "tensor/quantized.h"

namespace attune {

std::unique_ptr<ProductForm> make_form(int64_t k, int64_t n, MatrixOf<const float> b, Precision precision,
                                       const std::function<void(int64_t, int64_t)>& packed) {
  if (precision == Precision::bf16)
    return std::make_unique<Bf16Matrix>(k, n, b, fastest_bf16_scheme(), packed);
  return std::make_unique<PackedMatrix>(k, n, b, packed);
}

namespace {

std::unique_ptr<ProductForm> make_form(const Tensor& weight) {
  if (is_quantized(weight)) return std::make_unique<Int8Matrix>(weight);
  const auto read = [&](int64_t begin, int64_t end) { give_back_pages(weight.view_rows(begin, end)); };
  const int64_t k = weight.columns(), n = weight.rows();
  if (weight.dtype() == DType::bf16)
    return std::make_unique<Bf16Matrix>(k, n, matrix_of<BFloat16>(weight, 0, true), fastest_bf16_scheme(),
                                        read);
  return make_form(k, n, matrix_of<float>(weight, 0, true), precision_of(weight), read);
}

using Form = std::shared_ptr<const ProductForm>;

Form packed_form(const Tensor& weight) {
  const auto& kept = weight.storage()->kept;
  if (!kept) return is_narrow(weight) ? make_form(weight) : nullptr;
  if (weight.dtype() != DType::f32 && !is_narrow(weight)) return nullptr;
  return kept->form<ProductForm>(weight, [&] {
    auto form = make_form(weight);
    give_back_pages(weight);
    return form;
  });
}

Form plain_form(const Tensor& weight) {
  if (is_quantized(weight)) return std::make_shared<PlainInt8Matrix>(weight);
  return weight.dtype() == DType::bf16 ? std::make_shared<PlainBf16Matrix>(weight) : nullptr;
}

constexpr Kernels<Form(const Tensor&)> forms{packed_form, plain_form};

int64_t parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

}  // namespace

std::shared_ptr<const ProductForm> kept_form(const Tensor& weight) { return forms(weight); }

std::shared_ptr<const ProductForm> form_of(const Tensor& weight) {
  if (auto form = kept_form(weight)) return form;
  return make_form(weight);
}

// Waking a thread takes a certain number of multiplications to pay off; reading from memory counts too.
void for_product_pieces(int64_t m, const ProductForm& form,
                        const std::function<void(int64_t, int64_t, ColumnRange)>& body, Cut cut) {
  constexpr int64_t kWorthAThread = int64_t{1} << 20, kRead = 16, kFewestRows = 24;
  const int64_t width = form.panel_width(), panels = parts(form.n(), width);
  const int64_t work = (m + kRead) * form.n() * form.k();
  const int64_t wanted = std::min<int64_t>(threads(), 1 + work / kWorthAThread);
  int64_t column_pieces = std::max<int64_t>(panels, 1), row_pieces = 1 + m / kFewestRows;  // at most
  int64_t &sooner = cut == Cut::columns ? column_pieces : row_pieces,
          &later = cut == Cut::columns ? row_pieces : column_pieces;
  sooner = std::min(sooner, wanted);
  later = std::min(later, parts(wanted, sooner));
  parallel_for(column_pieces * row_pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t column = piece / row_pieces, row = piece % row_pieces;
      const ColumnRange columns{column * panels / column_pieces * width,
                                std::min((column + 1) * panels / column_pieces * width, form.n())};
      const int64_t end = (row + 1) * m / row_pieces;
      for (int64_t r = row * m / row_pieces; r < end; r += form.most_rows())
        body(r, std::min(r + form.most_rows(), end), columns);
    }
  });
}

void ProductForm::multiply_parallel(int64_t m, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                                    bool accumulate) const {
  for_product_pieces(m, *this, [&](int64_t begin, int64_t end, ColumnRange columns) {
    multiply(end - begin, columns, a + begin * a_stride, a_stride, c + begin * c_stride, c_stride,
             accumulate);
  });
}

void multiply_by(const Tensor& x, const Tensor& weight, const Tensor& y) {
  const float* in = x.data<float>();
  float* out = y.data<float>();
  if (const auto form = kept_form(weight))
    return form->multiply_parallel(x.rows(), in, x.row_stride(), out, y.row_stride());
  gemm(x.rows(), weight.rows(), weight.columns(), {in, x.row_stride()},
       {weight.data<float>(), weight.row_stride(), true}, {out, y.row_stride()}, precision_of(weight));
}

}  // namespace attune
