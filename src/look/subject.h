// Models of folders as something to look at.
#pragma once

#include "look/onlooker.h"
#include "models/model_folder.h"

namespace attune {

// The folder outlives it.
inline Subject subject_of(const ModelFolder& folder, const std::string& name) {
  return {folder.model.get(),      name, folder.config->type(), folder.config->task(), folder.vocabularies,
          folder.config->longest()};
}

}  // namespace attune
