// How long the runs of a comparison trained, and which of their models are compared.
#pragma once

#include <string>

#include "compare/report/tables.h"

namespace attune::compare {

// One row per run: its length, what ended it, and the update and rule of the model that is compared.
Table training_table(const Results& results);

// "40–60 updates (stopped early)"
std::string trained_for(const ModelResult& model);

// A warning for readers of the scores if a model stopped early, or if models made different numbers of
// updates or read different numbers of tokens; otherwise empty.
Both unequal_training(const Results& results);

}  // namespace attune::compare
