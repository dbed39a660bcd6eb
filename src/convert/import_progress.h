// How a reader of another toolkit's model tells how far it is.
#pragma once

#include <functional>

namespace attune {

using ImportProgress = std::function<void(double share)>;  // of the tensors that have been read

}  // namespace attune
