#include "testing/operation.h"

#include "base/registry.h"

namespace attune::testing {
namespace {

Registry<Operation>& registry() {
  static Registry<Operation> operations("operation");
  return operations;
}

}  // namespace

RegisterOperation::RegisterOperation(Operation operation) { registry().add(std::move(operation)); }

const std::vector<Operation>& operations() { return registry().entries(); }

}  // namespace attune::testing
