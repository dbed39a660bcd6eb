// AttentionMatrix: what a model looked at while it wrote, with readable words.
#pragma once

#include <string>
#include <vector>

namespace attune::view {

struct AttentionMatrix {
  std::vector<std::string> sources, targets;
  std::vector<std::vector<float>> weights;  // [targets][sources], from 0 to 1
};

// A UsageError unless the weights have one row per target and one weight per source.
void require_fitting(const AttentionMatrix& matrix);

}  // namespace attune::view
