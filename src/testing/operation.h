// Operation: an operation at any sizes. One that is registered, in a file NAME_cases.cpp beside NAME.cpp, has
// its gradients checked and its kernels compared by a test that goes through all of them, and is timed by
// `attune bench`.
#pragma once

#include <string>
#include <vector>

#include "testing/op_case.h"

namespace attune::testing {

using Sizes = std::vector<int64_t>;

// A row of the benchmark; bench/peers has it for PyTorch by the same name.
struct OpRow {
  std::string name;  // "softmax_1536x8000"
  Sizes sizes;
  bool forward_only = false;
  bool zeroed_gradients = true;  // those of the parameters, before each execution
  double flops = 0;              // of one execution, as a textbook counts

  // What to reach; 0 is no target.
  double speed = 0;         // the peer's time over attune's
  double megabytes = 0;     // at most so much memory beside the inputs
  double memory_share = 0;  // at most this share of the peer's

  OpCase::Run onednn = {};  // the same from the same inputs, forward, by oneDNN alone, which is then the peer
};

struct Operation {
  std::string name;
  OpCase (*at)(const Sizes& sizes, DType dtype);
  std::vector<Sizes> small;  // where gradients are checked by central differences
  std::vector<Sizes> odd;    // where the fast kernels are compared with the reference
  double tolerance = 2e-5;   // of that comparison
  std::vector<OpRow> rows = {};
};

struct RegisterOperation {
  explicit RegisterOperation(Operation operation);
};

// "name_2x3x4"
std::string row_name(const std::string& name, const Sizes& sizes);

// By name.
const std::vector<Operation>& operations();

}  // namespace attune::testing
