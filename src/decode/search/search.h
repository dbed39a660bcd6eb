// search(): finds the models' outputs for sentences of word ids.
#pragma once

#include <functional>
#include <vector>

#include "decode/search/ensemble.h"
#include "decode/search/hypothesis.h"
#include "decode/search/search_options.h"

namespace attune {

struct SearchInput {
  Ragged source;  // as the models read it; only models that need no source take empty sentences
  // What each output begins with; empty, or one per sentence.
  std::vector<std::vector<int32_t>> prefixes = {};
  // The words of each output, besides those of its prefix and </s>; empty: all words.
  std::vector<std::vector<int32_t>> allowed = {};
  // Select the random numbers of each sentence; empty: 0, 1, ..
  std::vector<uint64_t> numbers = {};
  // The first word after a prefix has to be one of these; empty, or one list per sentence, which is empty if
  // any word may come.
  std::vector<std::vector<int32_t>> choices = {};
};

// What a caller can observe of a search besides its outputs.
struct SearchWatch {
  // Gets the trace of each sentence's search, with `candidates` of the likeliest words of every step.
  std::vector<SearchTrace>* traces = nullptr;
  int64_t candidates = 0;
  // Gets every word of an output (except </s>) as soon as it is chosen, those of its prefix first, and
  // returns whether to continue; otherwise the output is cut there. Only for one sentence with one
  // hypothesis: greedy search, or one sample.
  std::function<bool(int32_t word)> follow = {};
};

// For each sentence its n_best outputs, best first. They do not depend on the other sentences. Words of a
// prefix count as written: in scores, lengths and repetitions. Throws a UsageError if the input makes no
// sense, and GivenUp at a step where the caller's Patience is over.
std::vector<std::vector<Hypothesis>> search(const Ensemble& models, const SearchInput& input,
                                            const SearchWords& words, const SearchOptions& options,
                                            const SearchWatch& watch = {});

}  // namespace attune
