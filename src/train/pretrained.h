// Fine-tuning: a model starts from the weights of another.
#pragma once

#include <string>

#include "attune/parameters.h"

namespace attune {

// Copies the weights that both models have: a classifier takes all of a masked language model except its
// head. Returns a sentence that says what is new and what was not used. A different shape is a UsageError.
std::string take_pretrained(const std::string& folder, const Parameters& parameters);

}  // namespace attune
