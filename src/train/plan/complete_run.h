// A run that leaves its size open gets what is missing: from the run that it continues, or from a Plan.
#pragma once

#include <functional>
#include <string>

#include "ranks/ranks.h"
#include "text/corpus/corpus.h"
#include "train/plan/plan.h"

namespace attune {

enum class TrainFrom : uint8_t { checkpoint, anew };

// Returns the plan that was followed; its text is empty if nothing was left open, or all is as the run has
// it. With several ranks, rank 0 chooses for all.
Plan complete_run(RunConfig& run, const Corpus& corpus, TrainFrom from, Ranks& ranks = alone());

}  // namespace attune
