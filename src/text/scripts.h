// Scripts by how they are set: with or without blanks, and how wide.
#pragma once

namespace attune {

// A character of a script that is written without blanks between words: Chinese, Japanese, Thai and the like.
bool is_unspaced(char32_t c);

// One that has no blank between sentences either: of Chinese and Japanese, with their punctuation marks, but
// not of Thai, which has blanks between sentences.
bool joins_without_blank(char32_t c);

// As wide as two letters where all letters have one width: Chinese, Japanese and Korean characters, and signs
// made for text of these.
bool is_wide(char32_t c);

}  // namespace attune
