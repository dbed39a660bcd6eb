// What a model read if it did not read words, for pictures of its attention.
#pragma once

#include <vector>

#include "text/corpus/example.h"
#include "text/vocabulary/vocabulary.h"
#include "view/scene.h"

namespace attune {

// One for each source of numbers among the tokens; none for words.
std::vector<view::Scene> scenes_of(const Vocabulary& vocabulary, const TokenIds& read);

}  // namespace attune
