// TimeOrder: the tokens of a ragged batch in the order in which a recurrence reads them: all first tokens
// come first, then all second ones, and so on, longest sentence first. Sentences are dealt like cards to
// groups that run independently: each of n groups has every n-th place of a step. So a step of a group is one
// matrix whose rows are n places apart, the sentences that still run are the first rows of the previous step,
// and the order of the places does not depend on the number of groups.
#pragma once

#include <cstdint>
#include <vector>

#include "attune/rows.h"

namespace attune {

// The token that a sentence reads in a step; with `reverse`, time runs from the last token to the first.
inline int64_t token_at(const Rows& rows, bool reverse, int64_t sentence, int64_t step) {
  return reverse ? rows.end(sentence) - 1 - step : rows.begin(sentence) + step;
}

struct TimeOrder {
  struct Place {
    int64_t token;
    int64_t previous;  // the token before it in time, or kFirst
    int64_t sentence;
  };
  static constexpr int64_t kFirst = -1;

  struct Group {
    int64_t first_sentence = 0;  // the number of sentences in the earlier groups
    std::vector<int64_t>
        first_place;              // of each step; the next ones follow at a distance of the number of groups
    std::vector<int64_t> active;  // running sentences, per step
  };

  // Empty sentences take no part.
  TimeOrder(const Rows& rows, bool reverse, int64_t group_count);

  std::vector<Place> places;  // one per token
  std::vector<Group> groups;
  int64_t sentences = 0;  // that are not empty

  int64_t apart() const { return static_cast<int64_t>(groups.size()); }  // places of a group
};

}  // namespace attune
