#include "bench/bench_case.h"

#include <set>

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

Tensor random_input(const Shape& shape, uint64_t seed, double deviation) {
  return testing::random_tensor(shape, seed, deviation, DType::f32);
}

}  // namespace attune::bench
