// SearchTrace: a record of a search: all its hypotheses, and the candidates to continue each.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/word_choice/next_words.h"

namespace attune {

struct SearchTrace {
  struct Node {
    int32_t parent = -1, word = -1;                // -1: nothing is written
    double log_p = 0, score = 0;                   // of the word; of all so far
    std::vector<NextWords::Word> candidates = {};  // likeliest first
  };
  std::vector<Node> nodes = {};  // parents first
  int32_t result = 0;            // the node of the best output
};

}  // namespace attune
