// How byte-level BPE cuts text before it looks for tokens: the regular expressions of GPT-2 and of its
// successors, which differ in a few places, matched by hand.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace attune {

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+     in GPT-2. In Llama 3:
// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|
// \s+(?!\S)|\s+
struct WordExpression {
  bool modern = false;     // as in Llama 3
  int longest_number = 0;  // digits; 0: any number of them
};

// The expression if attune knows it.
std::optional<WordExpression> known_expression(std::string_view text);

// Consecutive parts that together are the text, which is valid UTF-8.
std::vector<std::string_view> split_words(std::string_view text, const WordExpression& expression);

// Digits (\p{N}) by themselves: each one, or as long as they follow each other.
std::vector<std::string_view> split_digits(std::string_view text, bool each);

}  // namespace attune
