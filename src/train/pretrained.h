// Fine-tuning: a model begins with what another has learnt.
#pragma once

#include <string>

#include "attune/parameters.h"

namespace attune {

// Takes over what both have: a classifier takes all of a masked language model but its head. Returns a
// sentence that says what was new and what was left. What has another shape is a UsageError.
std::string take_pretrained(const std::string& folder, const Parameters& parameters);

}  // namespace attune
