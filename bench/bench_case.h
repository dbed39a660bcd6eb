// BenchCase: one row of the benchmark. The rows of an operation come from its NAME_cases.cpp; a group of
// others is one file here that registers them. bench/peers holds the same rows, by the same names, for
// PyTorch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "attune/tensor.h"

namespace attune::bench {

using Work = std::function<void()>;  // one execution

struct BenchCase {
  std::string name;
  std::function<Work()> set_up;  // makes the inputs
  double flops = 0;              // of one execution, as a textbook counts
  double bytes = 0;              // to and from memory, where that is the limit

  // What to reach; 0 is no target.
  double speed = 0;           // the peer's time over attune's
  double speed_threaded = 0;  // the same with several threads, where it differs
  double megabytes = 0;       // at most so much memory beside the inputs
  double memory_share = 0;    // at most this share of the peer's

  // The row that does the same in f32, if there is one, and what to reach beside it.
  std::string f32 = {};
  double gain = 0;              // its time over this row's
  double memory_share_f32 = 0;  // at most this share of its memory

  std::function<Work()> onednn = {};  // the same work by oneDNN alone, which is then the peer
};

// Registers the cases that a group's function gives; they are made when somebody asks for them.
struct RegisterCases {
  explicit RegisterCases(std::vector<BenchCase> (*group)());
};
std::vector<BenchCase> all_cases();  // two of the same name are an Error

Tensor random_input(const Shape& shape, uint64_t seed = 1, double deviation = 1);

}  // namespace attune::bench
