// The model folders that are in use in this process: each is in memory once.
#pragma once

#include <functional>

#include "models/model_files.h"

namespace attune {

// What load() returns for the folder; or, if somebody still uses what it returned before and no file of the
// folder has changed since, that. Any number of threads may call it.
ModelFiles loaded_once(const std::filesystem::path& folder, WeightsIn weights,
                       const std::function<ModelFiles()>& load);

}  // namespace attune
