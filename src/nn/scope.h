// Scope: names a parameter once. A layer takes a Scope and asks it for its parameters, which are new or come
// from the source of its Parameters; the names of nested scopes are joined with dots, and a new parameter's
// value depends only on the seed and its name, not on the order of construction.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "attune/parameters.h"
#include "attune/random.h"

namespace attune {

// How a new parameter is filled.
using Init = std::function<void(const Tensor&, const Random&)>;
Init zeros();
Init ones();
Init normal(double deviation);
Init uniform(double bound);  // [-bound, bound)
Init glorot();               // uniform with bound sqrt(6 / (rows + columns)) (Glorot and Bengio 2010)

struct LowRank;  // nn/low_rank.h

class Scope {
 public:
  Scope(Parameters& parameters, const Random& random) : parameters_(&parameters), random_(random) {}

  Scope operator/(std::string_view name) const;
  DType dtype() const { return parameters_->dtype(); }
  Tensor param(std::string_view name, const Shape& shape, const Init& init) const;
  std::string_view name() const;  // without the dot that joins it with those of its parameters

  // The same scope, whose linear layers have adapters.
  Scope with(const LowRank& low_rank) const;
  const LowRank* low_rank() const { return low_rank_.get(); }  // null: none

 private:
  Parameters* parameters_;
  Random random_;
  std::string prefix_;
  std::shared_ptr<const LowRank> low_rank_;
};

}  // namespace attune
