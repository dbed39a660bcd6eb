// How scores and their totals are written.
#pragma once

#include <string>

#include "decode/scorer.h"
#include "decode/search/search_options.h"

namespace attune::cli {

// Sums over a corpus. The end of a written text counts as a token, a word and a character.
struct ScoreTotals {
  int64_t lines = 0, tokens = 0, unknown = 0;
  int64_t words = 0, characters = 0;  // of the written text; 0 for models that write none
  double log_p = 0;

  ScoreTotals& operator+=(const ScoreTotals& other);
  std::string text() const;
  std::string json() const;
};

struct ScoredLine {
  int64_t number;  // from 0
  const LineToScore& line;
  const std::vector<double>& scores;
  bool usable;  // if not, its score is nan
};

struct ScoreFormat {
  SearchOptions search;  // its length penalty
  bool word_scores = false, json = false;

  std::string line(const Scorer& scorer, const ScoredLine& line) const;  // with its end
};

}  // namespace attune::cli
