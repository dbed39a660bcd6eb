// The vocabularies of a model's two sides, which may be the same.
#pragma once

#include <memory>

#include "text/vocabulary/vocabulary.h"

namespace attune {

struct Vocabularies {
  std::shared_ptr<const Vocabulary> source, target;

  bool joint() const { return source == target; }
};

}  // namespace attune
