// AttentionMatrix: what a model looked at while it wrote, with the words that people see.
#pragma once

#include <string>
#include <vector>

namespace attune::view {

struct AttentionMatrix {
  std::vector<std::string> sources, targets;
  std::vector<std::vector<float>> weights;  // [targets][sources], from 0 to 1
};

// A UsageError if the weights are not a row a target of one weight a source.
void require_fitting(const AttentionMatrix& matrix);

}  // namespace attune::view
