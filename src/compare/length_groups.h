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

// Groups with a sentence at least, in order. `bounds` are the last lengths of all groups but that of the
// longest; without them, up to six groups of about as many sentences each.
std::vector<Lengths> group_by_length(std::span<const int64_t> lengths, std::span<const int64_t> bounds);

// So many sentences (or all), evenly from the shortest to the longest.
std::vector<size_t> spread_over_lengths(std::span<const int64_t> lengths, size_t count);

}  // namespace attune::compare
