// Attention of trained models: on a sentence that they translate, and as alignments of given pairs.
#pragma once

#include "compare/recipe.h"
#include "compare/results.h"
#include "folder/model_folder.h"

namespace attune::compare {

// The model's translation, and the mean of the heads of the layer that the search options name.
Look look(const ModelFolder& folder, const SearchOptions& search, const std::string& sentence);

// The target is given, not searched. Empty for a model without attention; one result for a model with one
// head; two for a model with many: the head that agrees best with the gold links, and the mean of the heads
// of one layer.
std::vector<Alignment> align(const ModelFolder& folder, const SearchOptions& search, const GoldSet& gold);

// "0-1 2-0": for each target unit, the source unit that gets most of the attention of its tokens. `weights`
// has one row per target token and one column per source token, possibly followed by others (</s>).
std::string links_of(const std::vector<std::vector<float>>& weights, const std::vector<int64_t>& source_units,
                     const std::vector<int64_t>& target_units);

}  // namespace attune::compare
