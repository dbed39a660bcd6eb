// Where a text may be cut: behind sentences, behind words (Unicode Standard Annex 29, by ICU).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune {

// A part of a text, and the white space that stood behind it.
struct TextPart {
  std::string text, space;
};

// Joined again, parts and their spaces are the text, but for white space at its beginning.
std::vector<TextPart> sentences_of(std::string_view text);
std::vector<TextPart> words_of(std::string_view text);

}  // namespace attune
