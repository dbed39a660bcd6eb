// Machine: what a run may expect of the computer that it runs on.
#pragma once

#include <cstdint>

namespace attune {

struct Machine {
  double flops = 0;  // of products of matrices, with all threads
  int threads = 1;
  int64_t memory = 0;  // bytes
};

Machine measure_machine();  // takes a tenth of a second

int64_t machine_memory();

}  // namespace attune
