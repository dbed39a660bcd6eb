// A run that leaves its size open gets what is missing: from the run that it continues, or from a Plan.
#pragma once

#include <functional>
#include <string>

#include "ranks/ranks.h"
#include "text/corpus/corpus.h"
#include "train/train_config.h"

namespace attune {

enum class TrainFrom : uint8_t { checkpoint, anew };

// Returns what was chosen and why; empty if nothing was left open, or all is as the run has it. With several
// ranks, rank 0 chooses for all.
std::string complete_run(RunConfig& run, const Corpus& corpus, TrainFrom from, Ranks& ranks = alone());

}  // namespace attune
