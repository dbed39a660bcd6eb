#include "ops/product/bf16/matrix.h"

#include <vector>

namespace attune {
namespace {

// Memory of the calling thread for rounded rows, until it asks again.
BFloat16* room_for(int64_t rows, int64_t stride) {
  static thread_local std::vector<BFloat16> room;
  room.resize(std::max(room.size(), static_cast<size_t>(rows * stride)));
  return room.data();
}

}  // namespace

Bf16Matrix::Bf16Matrix(int64_t k, int64_t n, const Roundable& b, Bf16Scheme scheme,
                       const std::function<void(int64_t, int64_t)>& packed)
    : ProductForm(k, n), scheme_(scheme), panels_(bf16_panels(k, n, b, packed)) {}

Bf16Product Bf16Matrix::product(int64_t m, ColumnRange columns, const BFloat16* a, int64_t a_stride, float* c,
                                int64_t c_stride, bool accumulate) const {
  return {.m = static_cast<size_t>(m),
          .depth = static_cast<size_t>(bf16_depth(k())),
          .a = a,
          .a_stride = static_cast<size_t>(a_stride),
          .panels = panels_.data<BFloat16>(),
          .c = c,
          .c_stride = static_cast<size_t>(c_stride),
          .begin = static_cast<size_t>(columns.begin),
          .end = static_cast<size_t>(columns.end),
          .accumulate = accumulate};
}

void Bf16Matrix::multiply_rounded(int64_t m, ColumnRange columns, const BFloat16* a, int64_t a_stride,
                                  float* c, int64_t c_stride, bool accumulate) const {
  multiply_bf16(scheme_, product(m, columns, a, a_stride, c, c_stride, accumulate));
}

void Bf16Matrix::multiply_rounded(const Tensor& a, MatrixOf<float> c, bool accumulate) const {
  const BFloat16* from = a.data<BFloat16>();
  for_product_pieces(a.rows(), *this, [&](int64_t begin, int64_t end, ColumnRange columns) {
    multiply_rounded(end - begin, columns, from + begin * a.row_stride(), a.row_stride(),
                     c.data + begin * c.stride, c.stride, accumulate);
  });
}

void Bf16Matrix::multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c,
                          int64_t c_stride, bool accumulate) const {
  const int64_t stride = rounded_stride(k());
  for (int64_t i = 0; i < m; i += most_rows()) {
    const int64_t count = std::min(most_rows(), m - i);
    BFloat16* const rows = room_for(count, stride);
    round_here(i, i + count, k(), MatrixOf<const float>{a, a_stride}, rows);
    Bf16Product cold = product(count, columns, rows, stride, c + i * c_stride, c_stride, accumulate);
    cold.panels_are_cold = true;
    multiply_bf16(scheme_, cold);
  }
}

void bf16_gemm(int64_t m, int64_t n, int64_t k, const Roundable& a, const Roundable& b, MatrixOf<float> c,
               bool accumulate) {
  const Bf16Matrix form(k, n, b);
  const int64_t stride = rounded_stride(k);
  const auto multiply_piece = [&](int64_t begin, int64_t end, ColumnRange columns) {
    BFloat16* const rows = room_for(end - begin, stride);
    round_here(begin, end, k, a, rows);
    form.multiply_rounded(end - begin, columns, rows, stride, c.data + begin * c.stride, c.stride,
                          accumulate);
  };
  for_product_pieces(m, form, multiply_piece, Cut::rows);
}

}  // namespace attune
