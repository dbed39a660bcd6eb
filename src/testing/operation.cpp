#include "testing/operation.h"

#include <fmt/format.h>

#include "base/registry.h"

namespace attune::testing {
namespace {

Registry<Operation>& registry() {
  static Registry<Operation> operations("operation");
  return operations;
}

}  // namespace

RegisterOperation::RegisterOperation(Operation operation) { registry().add(std::move(operation)); }

std::string row_name(const std::string& name, const Sizes& sizes) {
  return fmt::format("{}_{}", name, fmt::join(sizes, "x"));
}

const std::vector<Operation>& operations() { return registry().entries(); }

}  // namespace attune::testing
