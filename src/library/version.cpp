#include "attune/version.h"

namespace attune {

std::string version() { return ATTUNE_VERSION; }

}  // namespace attune
