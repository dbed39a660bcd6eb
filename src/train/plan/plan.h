// Plan: what a run gets that leaves its size open: a model that the data, the machine and the time allow, and
// batches, a learning rate and a schedule that fit it. Its numbers are estimates; what they gave is in
// docs/guide/train.md.
#pragma once

#include <string>
#include <vector>

#include "models/size.h"
#include "train/plan/corpus_size.h"
#include "train/plan/machine.h"
#include "train/train_config.h"

namespace attune {

// A size of the run's model, and what it would do with the time.
struct SizeEstimate {
  Size size;
  int64_t parameters = 0;
  double tokens_per_second = 0;  // of the longer side
  double epochs = 0;             // that fit into the time
};

struct Plan {
  Entries entries;                  // keys that the user has not given
  std::string text;                 // what was chosen and why, in a line
  std::vector<SizeEstimate> sizes;  // all that could be chosen
  Size size = Size::tiny;           // the one that was
};

Plan make_plan(const RunConfig& run, const CorpusSize& corpus, const Machine& machine);

// For a run that starts from a pretrained model with so many parameters: its sizes are given; how fast it may
// change, how long, and when to look at it are not. Its numbers are estimates, too.
Plan plan_adaptation(const RunConfig& run, int64_t parameters, const CorpusSize& corpus,
                     const Machine& machine);

// A model with more parameters for each token of its training text is too large for it.
constexpr double kParametersOfToken = 20;

// The time of a run whose end is not given.
constexpr double kDefaultTime = 3600;  // seconds

}  // namespace attune
