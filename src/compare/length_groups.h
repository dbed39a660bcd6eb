// Sentences by length.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::compare {

// The lengths from `first` to `last`, and which sentences have them.
struct Lengths {
  int64_t first = 0, last = 0;
  std::vector<size_t> sentences;

  std::string label() const;  // "11–15", "7"
};

// Groups that have at least one sentence, in order. `bounds` are the last lengths of all groups except the
// longest; without them, up to six groups of about equal size.
std::vector<Lengths> group_by_length(std::span<const int64_t> lengths, std::span<const int64_t> bounds);

// This many sentences (or all), spread evenly from the shortest to the longest.
std::vector<size_t> spread_over_lengths(std::span<const int64_t> lengths, size_t count);

}  // namespace attune::compare
