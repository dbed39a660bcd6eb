// A model whose attention is not its own: every pass through it is edited.
#pragma once

#include <memory>

#include "models/model.h"
#include "nn/attention/edits.h"

namespace attune {

// A Writer if the model is one; for use, not for training: it has no dropout and no Guide. Both the model and
// the edits must outlive it.
std::unique_ptr<Model> edited(const Model& model, const AttentionEdits& edits);

}  // namespace attune
