// search(): the outputs of models for sentences of word ids.
#pragma once

#include <vector>

#include "decode/search/ensemble.h"
#include "decode/search/hypothesis.h"
#include "decode/search/search_options.h"

namespace attune {

struct SearchInput {
  Ragged source;  // as the models read it; a sentence is empty only for models that just write
  // What each output begins with; none at all, or one a sentence.
  std::vector<std::vector<int32_t>> prefixes = {};
  // What each output may consist of, beside the words of its prefix and </s>; none means all words.
  std::vector<std::vector<int32_t>> allowed = {};
  // Which random numbers each sentence takes; none means 0, 1, ..
  std::vector<uint64_t> numbers = {};
  // The words of which the first behind a prefix has to be one; none at all, or one list a sentence, which is
  // empty if any may come.
  std::vector<std::vector<int32_t>> choices = {};
  // Keeps so many of the likeliest words of every step in the traces.
  int64_t candidates = 0;
};

// For each sentence its n_best outputs, best first. They do not depend on the other sentences. Words of a
// prefix count as written ones: in scores, lengths and what must not be repeated. Throws a UsageError if the
// input makes no sense, and GivenUp at a step where the caller's Patience is over. `traces` takes how each
// was searched.
std::vector<std::vector<Hypothesis>> search(const Ensemble& models, const SearchInput& input,
                                            const SearchWords& words, const SearchOptions& options,
                                            std::vector<SearchTrace>* traces = nullptr);

}  // namespace attune
