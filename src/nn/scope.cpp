#include "nn/scope.h"

#include <cmath>

#include "nn/low_rank.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

// FNV-1a, so that a name gives the same stream on every machine.
uint64_t hash(std::string_view text) {
  uint64_t h = 14695981039346656037u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

template <class Draw>
void fill(const Tensor& tensor, const Draw& draw) {
  dispatch(tensor.dtype(), [&]<class T>() {
    uint64_t i = 0;
    for (T& x : tensor.span<T>()) x = static_cast<T>(draw(i++));
  });
}

}  // namespace

Init zeros() {
  return [](const Tensor& t, const Random&) { t.fill(0); };
}

Init ones() {
  return [](const Tensor& t, const Random&) { t.fill(1); };
}

Init normal(double deviation) {
  return [deviation](const Tensor& t, const Random& random) {
    fill(t, [&](uint64_t i) { return deviation * random.normal(i); });
  };
}

Init uniform(double bound) {
  return [bound](const Tensor& t, const Random& random) {
    fill(t, [&](uint64_t i) { return bound * (2 * random.uniform(i) - 1); });
  };
}

Init glorot() {
  return [](const Tensor& t, const Random& random) {
    uniform(std::sqrt(6.0 / static_cast<double>(t.rows() + t.columns())))(t, random);
  };
}

Scope Scope::operator/(std::string_view name) const {
  Scope inner = *this;
  inner.prefix_ += std::string(name) + ".";
  return inner;
}

std::string_view Scope::name() const {
  return std::string_view(prefix_).substr(0, prefix_.empty() ? 0 : prefix_.size() - 1);
}

Scope Scope::with(const LowRank& low_rank) const {
  Scope adapted = *this;
  adapted.low_rank_ = std::make_shared<const LowRank>(low_rank);
  return adapted;
}

Tensor Scope::param(std::string_view name, const Shape& shape, const Init& init) const {
  const std::string full = prefix_ + std::string(name);
  return parameters_->add(full, shape,
                          [&](const Tensor& tensor) { init(tensor, random_.stream(hash(full))); });
}

}  // namespace attune
