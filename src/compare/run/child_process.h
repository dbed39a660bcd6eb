// Work in a separate process: its memory can be measured, and if it dies, the parent survives.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>

namespace attune::compare {

struct Cost {
  double seconds = 0;
  int64_t peak_memory = 0;  // bytes
};

// Runs the work in a child and waits for it. UsageError, Error and Interrupted from the work are thrown here;
// a child that is killed is an Error. Signals that ask this process to stop are passed on, and the child dies
// with it. Only for a process that has no threads yet: OpenMP's threads do not survive in a child.
Cost run_in_child(const std::function<void()>& work);

}  // namespace attune::compare
