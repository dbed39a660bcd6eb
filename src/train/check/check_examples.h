// How training treats the lines of a corpus: how many become examples, and why others do not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/task.h"
#include "train/check/raw_corpus.h"

namespace attune {

struct ExampleReport {
  int64_t kept = 0, empty = 0, too_long = 0;
  int64_t faulty = 0;                        // training would stop at them
  int64_t longest = 0;                       // tokens of a side
  std::vector<int64_t> tokens = {};          // of each side of the examples that are kept
  double epoch_tokens = 0;                   // of all sides, with the weights of the sources
  std::vector<int64_t> first_too_long = {};  // line numbers
  std::vector<std::pair<int64_t, std::string>> first_faulty = {};  // line numbers, and what is wrong

  void operator+=(const ExampleReport& other);
};

// `limit`: the most tokens that a side may have.
ExampleReport check_examples(const RawCorpus& corpus, const Task& task, const Vocabularies& vocabularies,
                             int64_t limit);

void report_examples(const RawCorpus& corpus, const ExampleReport& report, int64_t limit, Findings& findings);

}  // namespace attune
