// The measuring side of the benchmark.
#pragma once

#include "bench/bench_case.h"

namespace attune::bench {

// What passes on the wall, or what the process computes for: the latter where others use the machine too.
enum class Clock : uint8_t { wall, cpu };

// Seconds for one execution, averaged over `repeat`; memory returns to the arena after each, as in training.
double seconds(const Work& work, int repeat, Clock clock = Clock::wall);

// Answers requests, one JSON object a line, from stdin to stdout:
//   {"list": true}                  -> {"rows": [{"name": ..., "flops": ..., ...}, ...]}
//   {"row": NAME, "repeat": K}      -> {"seconds": S}; with "peer": "onednn" for oneDNN alone
//   {"row": NAME, "memory": true}   -> {"megabytes": M}: the most memory beside the inputs
//   {"make": NAME, "model": FOLDER} -> {}: writes one of the models of bench/decoding_model.h
//   {"model": FOLDER, "lines": [..], "beam": B, "batch_words": N}
//       -> {"seconds": S, "texts": [..], "read": [words of each line], "written": [..]};
//       with "single": true the lines one by one: {"seconds": [..]}; with "cpu": true CPU time
//   {"peak": true}                  -> {"megabytes": M}: the most memory of the process so far
void serve_requests();

}  // namespace attune::bench
