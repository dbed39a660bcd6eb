// One step of training: the gradient of one batch.
#pragma once

#include "models/task.h"
#include "text/corpus/example.h"
#include "train/learner.h"

namespace attune {

// Makes a batch of the examples, drops and samples words as configured, and adds its gradient to the
// learner's. `number` counts the batches of the run and selects the random numbers. `last`: the last batch of
// an update on this rank.
void gradient_step(Learner& learner, const Examples& examples, const Task& task,
                   const Vocabularies& vocabularies, const TrainConfig& config, int64_t number,
                   bool last = true);

}  // namespace attune
