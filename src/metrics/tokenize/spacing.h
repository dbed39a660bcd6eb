// How tokenisers separate tokens: by spaces around characters, alone or next to certain others.
#pragma once

#include <cstddef>

namespace attune::metrics {

// " c " for every character c for which `chosen` is true.
template <class Text, class Chosen>
Text space_characters(const Text& text, Chosen chosen) {
  Text spaced;
  spaced.reserve(2 * text.size());
  for (const auto c : text) {
    if (chosen(c)) {
      spaced += ' ';
      spaced += c;
      spaced += ' ';
    } else {
      spaced += c;
    }
  }
  return spaced;
}

enum class Apart { first, second };

// For neighbours a and b with first(a) and second(b): " a b" if the first is to be separated, "a b " if the
// second is. From left to right, like a regular expression: a matched pair is not examined again.
template <class Text, class First, class Second>
Text space_pairs(const Text& text, First first, Second second, Apart apart) {
  Text spaced;
  spaced.reserve(2 * text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && first(text[i]) && second(text[i + 1])) {
      if (apart == Apart::first) spaced += ' ';
      spaced += text[i];
      spaced += ' ';
      spaced += text[++i];
      if (apart == Apart::second) spaced += ' ';
    } else {
      spaced += text[i];
    }
  }
  return spaced;
}

}  // namespace attune::metrics
