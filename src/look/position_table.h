// The positions of a model as a table to look at.
#pragma once

#include "models/model_files.h"
#include "view/attention.h"

namespace attune {

// Empty if the model has none, or they cannot be told in this form. At most 50 positions.
view::PositionTable position_table(const ModelFiles& files);

}  // namespace attune
