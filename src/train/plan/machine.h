// Machine: what a run may expect of the computer that it runs on.
#pragma once

#include <cstdint>

namespace attune {

struct Machine {
  double flops = 0;    // of products of matrices in f32, with all threads
  double rounded = 0;  // the same in the precision that `precision: auto` is here
  int threads = 1;
  int64_t memory = 0;  // bytes
};

Machine measure_machine();  // takes a fifth of a second at most

int64_t machine_memory();

}  // namespace attune
