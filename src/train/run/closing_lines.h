// What a run says at its end: how far it came, and which of its models to use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/run/train_state.h"

namespace attune {

// The folder of the run stands for its best model by the first metric.
std::vector<std::string> finished_lines(const std::filesystem::path& run, const TrainState& state,
                                        bool stalled);

std::vector<std::string> interrupted_lines(const std::filesystem::path& run, const TrainState& state,
                                           bool validates);

// The loss was not finite even after the learning rate was reduced so many times.
std::string stuck_text(int64_t update, int64_t returns);

}  // namespace attune
