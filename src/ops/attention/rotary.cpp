// Su et al. 2021, eq. 15: a position as a rotation of pairs of numbers, so that the product of two rotated
// vectors depends only on their distance. The pairs are (x_i, x_{i + d/2}).
#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

// y_i = x_i cos - x_{i + d/2} sin;  y_{i + d/2} = x_{i + d/2} cos + x_i sin;  `turn` -1 turns back.
Tensor rotated(const Tensor& x, const Tensor& positions, const Tensor& table, double turn) {
  Tensor y(x.shape(), x.dtype());
  const int64_t d = table.columns(), half = d / 2;
  dispatch(x.dtype(), [&]<class T>() {
    const T sign = static_cast<T>(turn);
    parallel_for(x.rows(), 1 + 16384 / x.columns(), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* cosines = row_of<T>(table, positions.data<int32_t>()[r]);
        const T* sines = cosines + half;
        for (int64_t head = 0; head < x.columns(); head += d) {
          const T *a = row_of<T>(x, r) + head, *b = a + half;
          T *to_a = row_of<T>(y, r) + head, *to_b = to_a + half;
          for (int64_t i = 0; i < half; ++i) {
            const T sine = sign * sines[i];
            to_a[i] = a[i] * cosines[i] - b[i] * sine;
            to_b[i] = b[i] * cosines[i] + a[i] * sine;
          }
        }
      }
    });
  });
  return y;
}

}  // namespace

Tensor rotary(const Tensor& x, const Tensor& positions, const Tensor& table) {
  check_float("rotary", {&x, &table});
  check_rank("rotary", "x", x, 2);
  check_rank("rotary", "table", table, 2);
  check(table.columns() > 0 && table.columns() % 2 == 0 && x.columns() % table.columns() == 0,
        "rotary: the heads of x {} must have the size of the table's rows {}, which must be even", x.shape(),
        table.shape());
  check_shape("rotary", "positions", positions, {x.rows()});
  for (const int32_t position : positions.span<int32_t>())
    check(position >= 0 && position < table.rows(), "rotary: position {} is outside the table of {}",
          position, table.rows());
  Tensor y = rotated(x, positions, table, 1);
  if (recording(x))
    record("rotary", y, {x}, [positions, table = table.detach()](const Tensor& dy) {
      return Grads{rotated(dy, positions, table, -1)};
    });
  return y;
}

}  // namespace attune
