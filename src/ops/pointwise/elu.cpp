#include "ops/pointwise/elu.h"

#include <cmath>

#include "attune/autograd.h"
#include "base/threads/parallel.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

constexpr double kLeak = 0.2;
constexpr int64_t kWorthAThread = 8192;

// y_i = f(x_i, z_i) in the order of memory.
template <class F>
Tensor each(const Tensor& x, const Tensor& z, const F& f) {
  Tensor y(x.shape(), x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    parallel_for(
        x.size(), kWorthAThread,
        [&, to = y.data<T>(), first = x.data<T>(), second = z.data<T>()](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) to[i] = f(first[i], second[i]);
        });
  });
  return y;
}

// The slope is found from the result.
template <class Value, class Slope>
Tensor activated(const char* name, const Tensor& given, const Value& value, const Slope& slope) {
  check_float(name, {&given});
  const Tensor x = packed(given);
  Tensor y = each(x, x, [&](auto v, auto) { return value(v); });
  if (recording(given))
    record(name, y, {given}, [kept = y.detach(), slope](const Tensor& dy) {
      return Grads{
          each(packed(dy), kept, [&](auto d, auto v) { return static_cast<decltype(d)>(d * slope(v)); })};
    });
  return y;
}

}  // namespace

Tensor elu(const Tensor& x) {
  return activated(
      "elu", x, [](auto v) { return v < 0 ? std::expm1(v) : v; },
      [](auto y) { return y > 0 ? decltype(y){1} : y + 1; });
}

Tensor leaky_relu(const Tensor& x) {
  return activated(
      "leaky_relu", x, [](auto v) { return v < 0 ? static_cast<decltype(v)>(kLeak * v) : v; },
      [](auto y) { return y > 0 ? decltype(y){1} : static_cast<decltype(y)>(kLeak); });
}

}  // namespace attune
