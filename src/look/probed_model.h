// Models of folders as something to look at.
#pragma once

#include "look/attention_probe.h"
#include "models/model_files.h"

namespace attune {

// The folder outlives it.
inline ProbedModel probed_model(const ModelFiles& folder, const std::string& name) {
  return {.model = folder.model.get(),
          .name = name,
          .type = folder.config->type(),
          .task = folder.config->task(),
          .vocabularies = folder.vocabularies,
          .longest = folder.config->longest(),
          .answers = learned_to_answer(folder.training)};
}

}  // namespace attune
