#include "bench/bench_case.h"

#include <fmt/format.h>

#include <set>

#include "attune/autograd.h"
#include "base/check.h"
#include "testing/op_case.h"

namespace attune::bench {
namespace {

std::vector<std::vector<BenchCase> (*)()>& groups() {
  static std::vector<std::vector<BenchCase> (*)()> groups;
  return groups;
}

}  // namespace

RegisterCases::RegisterCases(std::vector<BenchCase> (*group)()) { groups().push_back(group); }

std::vector<BenchCase> all_cases() {
  std::vector<BenchCase> cases;
  std::set<std::string> names;
  for (const auto group : groups())
    for (BenchCase& bench : group()) {
      check(names.insert(bench.name).second, "two files register the benchmark row '{}'", bench.name);
      cases.push_back(std::move(bench));
    }
  return cases;
}

std::string row_name(const std::string& name, std::initializer_list<int64_t> sizes) {
  return fmt::format("{}_{}", name, fmt::join(sizes, "x"));
}

Tensor random_input(const Shape& shape, uint64_t seed, double deviation) {
  return testing::random_tensor(shape, seed, deviation, DType::f32);
}

Tensor activation(const Tensor& numbers) {
  Tensor tensor = numbers.detach();
  record("input", tensor, {leaf(Tensor::zeros({}))}, [](const Tensor&) { return Grads{Tensor()}; });
  return tensor;
}

Tensor Learned::add(const Tensor& numbers) {
  leaves_.push_back(leaf(numbers));
  return leaves_.back();
}

void Learned::zero_gradients() const {
  for (const Tensor& tensor : leaves_) leaf_gradient(tensor).fill(0);
}

void backward_from(const Tensor& y, const Tensor& dy) {
  Tensor loss = Tensor::zeros({});
  record("projection", loss, {y}, [dy](const Tensor&) { return Grads{dy}; });
  backward(loss);
}

}  // namespace attune::bench
