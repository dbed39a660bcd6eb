// The tables of a comparison.
#pragma once

#include <string>
#include <vector>

#include "compare/results.h"

namespace attune::compare {

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  size_t text_columns = 1;  // the first ones; the others hold numbers
};

// Scores of a test set with half the width of their 95% intervals, and the significance of the difference
// from the model above.
Table score_table(const Results& results, size_t test);
// The first metric by source length.
Table length_table(const Results& results, size_t test);
// Parameters, time, speed, memory.
Table cost_table(const Results& results);
// Alignment error rates on one gold set.
Table alignment_table(const Results& results, size_t gold);

// A text in both languages of the report, of which one is shown.
struct Both {
  std::string en = {}, zh = {};
};

// How scores, speed and memory were measured: one sentence each.
std::vector<Both> remarks(const Results& results);

// All tables, as plain text.
std::string markdown(const Results& results);

}  // namespace attune::compare
