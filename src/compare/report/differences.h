// Word-by-word differences between an output and its reference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune::compare {

// A stretch of an output: in the reference, or not.
struct Stretch {
  std::string text;
  bool same = true;
};

// Words, numbers, single signs, and characters of scripts without spaces; a space belongs to what precedes
// it. Concatenated they are the text.
std::vector<std::string> cut_into_words(std::string_view text);

// Divides the output into stretches that alternate between being in a longest common subsequence of words
// with the reference and not being in it.
std::vector<Stretch> differences(std::string_view output, std::string_view reference);

}  // namespace attune::compare
