// The measuring side of the benchmark.
#pragma once

#include "bench/bench_case.h"

namespace attune::bench {

// Seconds for one execution, averaged over `repeat`; memory returns to the arena after each, as in training.
double seconds(const Work& work, int repeat);

// Answers requests, one JSON object a line, from stdin to stdout:
//   {"list": true}                  -> {"rows": [{"name": ..., "flops": ..., ...}, ...]}
//   {"row": NAME, "repeat": K}      -> {"seconds": S}; with "peer": "onednn" for oneDNN alone
//   {"row": NAME, "memory": true}   -> {"megabytes": M}: the most memory beside the inputs
void serve_requests();

}  // namespace attune::bench
