// The steps of a comparison that use a trained model.
#pragma once

#include <functional>

#include "compare/recipe.h"
#include "compare/results.h"

namespace attune::compare {

using SentencesDone = std::function<void(size_t done, size_t all)>;

// Translates a test set in a separate process, unless that was done before. `progress` is first called with
// 0, and not at all if there is nothing to do.
Decoding decode_in_child(const Contestant& model, const Recipe& recipe, const TestSet& test,
                         const SentencesDone& progress);

struct ProbeResult {
  std::vector<Look> looks;                         // one per sentence
  std::vector<std::vector<Alignment>> alignments;  // one per gold set
};

// Records attention and alignments in a separate process, unless that was done before; calls
// `begins` before it starts.
ProbeResult probe_in_child(const Contestant& model, const Recipe& recipe,
                           const std::vector<std::string>& sentences, const std::function<void()>& begins);

}  // namespace attune::compare
