#include <cmath>

#include "attune/autograd.h"
#include "attune/ops/elementwise.h"
#include "attune/ops/loss.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {

// With e = unit (y - expected) of c columns:  squared e^2 / c,  absolute |e| / c
NumberError number_error(const Tensor& numbers, const Tensor& expected, const Tensor& unit, ErrorKind kind) {
  constexpr std::string_view op = "number_error";
  check_float(op, {&numbers, &expected, &unit});
  check_rank(op, "numbers", numbers, 2);
  check_shape(op, "expected", expected, numbers.shape());
  if (unit) check_shape(op, "unit", unit, numbers.shape());
  const int64_t rows = numbers.rows(), columns = numbers.columns();
  NumberError result{.loss = Tensor({}, numbers.dtype()), .rows = Tensor({rows}, numbers.dtype())};
  const Tensor slope(numbers.shape(), numbers.dtype());
  dispatch(numbers.dtype(), [&]<class T>() {
    const double share = 1 / static_cast<double>(columns);
    double loss = 0;
    for (int64_t r = 0; r < rows; ++r) {
      double squared = 0, absolute = 0;
      for (int64_t i = r * columns; i < (r + 1) * columns; ++i) {
        const double u = unit ? unit.data<T>()[i] : 1;
        const double e = u * static_cast<double>(numbers.data<T>()[i] - expected.data<T>()[i]);
        squared += share * e * e;
        absolute += share * std::abs(e);
        const double sign = e > 0 ? 1 : e < 0 ? -1 : 0;
        slope.data<T>()[i] = static_cast<T>(share * u * (kind == ErrorKind::squared ? 2 * e : sign));
      }
      result.squared += squared;
      result.absolute += absolute;
      const double row = kind == ErrorKind::squared ? squared : absolute;
      result.rows.data<T>()[r] = static_cast<T>(row);
      loss += row;
    }
    *result.loss.data<T>() = static_cast<T>(loss);
  });
  if (recording(numbers))
    record("number_error", result.loss, {numbers},
           [slope](const Tensor& dy) { return Grads{scale(slope, dy.item())}; });
  return result;
}

}  // namespace attune
