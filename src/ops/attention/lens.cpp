#include "attune/lens.h"

namespace attune {

std::string AttentionName::str() const {
  return (stack == encoder ? "encoder." : "decoder.") + std::to_string(layer) +
         (kind == self ? ".self" : ".cross");
}

}  // namespace attune
