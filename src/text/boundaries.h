// Where a text may be cut: after sentences, after words (Unicode Standard Annex 29, by ICU), but never inside
// a placeholder or an address.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

// A part of a text, and the white space after it.
struct TextPart {
  std::string text, space;
};

// Joined again, parts and their spaces are the text, except for white space at its beginning. The text is
// UTF-8.
std::vector<TextPart> sentences_of(std::string_view text);
std::vector<TextPart> words_of(std::string_view text);

// The bytes at which words, and the stretches between them, begin and end: 0 first, the size of the text
// last.
std::vector<size_t> word_boundaries(std::string_view text);

// Whether the text ends, or begins, with a character that takes no space beside it, as in Chinese and
// Japanese (joins_without_blank).
bool ends_without_blank(std::string_view text);
bool begins_without_blank(std::string_view text);

// Whether the last, or first, character of the text belongs to a word.
bool ends_in_word(std::string_view text);
bool begins_in_word(std::string_view text);

}  // namespace attune
