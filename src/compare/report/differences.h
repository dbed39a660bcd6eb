// What an output has that its reference has not, word by word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune::compare {

// A stretch of an output: as the reference has it, or not.
struct Stretch {
  std::string text;
  bool same = true;
};

// Words, numbers, single signs, and characters of scripts without blanks; blanks go with what is before them.
// All of them together are the text.
std::vector<std::string> cut_into_words(std::string_view text);

// The output in stretches that are alternately in a longest common subsequence of words with the reference,
// and not.
std::vector<Stretch> differences(std::string_view output, std::string_view reference);

}  // namespace attune::compare
