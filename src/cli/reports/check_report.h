// How `attune check` shows what it found: text for people, JSON for programs.
#pragma once

#include <string>

#include "train/check/check.h"

namespace attune::cli {

std::string as_text(const CheckReport& report, const TrainConfig& config);
std::string as_json(const CheckReport& report);

}  // namespace attune::cli
