// search(): the outputs of models for sentences of word ids.
#pragma once

#include <functional>
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
};

// What a caller learns of a search besides its outputs.
struct SearchWatch {
  // Takes how each sentence was searched, with so many of the likeliest words of every step.
  std::vector<SearchTrace>* traces = nullptr;
  int64_t candidates = 0;
  // Hears every word of an output (but </s>) as soon as it is chosen, those of its prefix first, and says
  // whether to go on; an output that it ends is cut there. For one sentence with one hypothesis: greedy
  // search, or one sample.
  std::function<bool(int32_t word)> follow = {};
};

// For each sentence its n_best outputs, best first. They do not depend on the other sentences. Words of a
// prefix count as written ones: in scores, lengths and what must not be repeated. Throws a UsageError if the
// input makes no sense, and GivenUp at a step where the caller's Patience is over.
std::vector<std::vector<Hypothesis>> search(const Ensemble& models, const SearchInput& input,
                                            const SearchWords& words, const SearchOptions& options,
                                            const SearchWatch& watch = {});

}  // namespace attune
