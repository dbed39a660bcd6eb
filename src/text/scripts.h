// Properties of scripts: written with or without spaces, and how wide.
#pragma once

namespace attune {

// A character of a script that is written without spaces between words: Chinese, Japanese, Thai and the like.
bool is_unspaced(char32_t c);

bool is_chinese(char32_t c);  // a Chinese character, also in Japanese text

// A character that has no space between sentences either: Chinese and Japanese, with their punctuation marks,
// but not Thai, which has spaces between sentences.
bool joins_without_blank(char32_t c);

// As wide as two letters in a monospaced font: Chinese, Japanese and Korean characters, and signs made for
// their text.
bool is_wide(char32_t c);

}  // namespace attune
