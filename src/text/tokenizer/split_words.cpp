#include "text/tokenizer/split_words.h"

#include <algorithm>
#include <array>
#include <string>

#include "text/characters.h"
#include "text/utf8.h"

namespace attune {
namespace {

enum class Class : uint8_t { letter, number, space, other, end };

Class class_of(char32_t c) {
  const Categories category = category_of(c);
  if ((category & kLetters) != 0) return Class::letter;
  if ((category & kNumbers) != 0) return Class::number;
  return is_white_space(c) ? Class::space : Class::other;
}

bool is_line_break(char32_t c) { return c == '\r' || c == '\n'; }

struct Letter {
  char32_t value = 0;
  Class kind = Class::end;
  size_t begin = 0;  // byte
};

// The code points of a text, and an end that stops every loop.
std::vector<Letter> letters_of(std::string_view text) {
  std::vector<Letter> letters;
  letters.reserve(text.size() + 1);
  for (Utf8Reader reader(text); const auto c = reader.next();)
    letters.push_back({c->value, class_of(c->value), static_cast<size_t>(c->bytes.data() - text.data())});
  letters.push_back({.begin = text.size()});
  return letters;
}

class Splitter {
 public:
  Splitter(std::string_view text, const WordExpression& expression)
      : text_(text),
        letters_(letters_of(text)),
        modern_(expression.modern),
        most_(expression.longest_number) {}

  std::vector<std::string_view> split() const {
    std::vector<std::string_view> parts;
    for (size_t at = 0; kind(at) != Class::end;) {
      const size_t end = end_of_word(at);
      parts.push_back(text_.substr(letters_[at].begin, letters_[end].begin - letters_[at].begin));
      at = end;
    }
    return parts;
  }

 private:
  Class kind(size_t at) const { return letters_[at].kind; }
  char32_t value(size_t at) const { return letters_[at].value; }
  size_t past(size_t at, Class kind_of) const {
    while (kind(at) == kind_of) ++at;
    return at;
  }

  // In the order of the expression's alternatives.
  size_t end_of_word(size_t at) const {
    if (const size_t end = end_of_contraction(at); end > at) return end;
    const size_t behind_blank = at + (value(at) == ' ' ? 1 : 0);
    if (const size_t begin = modern_ ? at + (may_precede_letters(at) ? 1 : 0) : behind_blank;
        kind(begin) == Class::letter)
      return past(begin, Class::letter);
    if (const size_t begin = modern_ ? at : behind_blank; kind(begin) == Class::number)
      return end_of_number(begin);
    if (kind(behind_blank) == Class::other) {
      size_t end = past(behind_blank, Class::other);
      while (modern_ && is_line_break(value(end))) ++end;
      return end;
    }
    return end_of_space(at);
  }

  bool may_precede_letters(size_t at) const {
    return (kind(at) == Class::other || kind(at) == Class::space) && !is_line_break(value(at));
  }

  size_t end_of_number(size_t at) const {
    const size_t end = past(at, Class::number);
    return most_ > 0 ? std::min(end, at + static_cast<size_t>(most_)) : end;
  }

  // Up to the last line break; or without the last space if a word follows; or all of it.
  size_t end_of_space(size_t at) const {
    const size_t end = past(at, Class::space);
    if (modern_)
      for (size_t last = end; last > at; --last)
        if (is_line_break(value(last - 1))) return last;
    return kind(end) != Class::end && end > at + 1 ? end - 1 : end;
  }

  // U+017F, the long s, is an s in another case.
  char32_t small(size_t at) const {
    const char32_t c = value(at);
    if (!modern_) return c;
    return c == 0x17F ? U's' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
  }

  size_t end_of_contraction(size_t at) const {
    if (value(at) != '\'' || kind(at) == Class::end) return at;
    static constexpr std::u32string_view kEndings[] = {U"s", U"t", U"re", U"ve", U"m", U"ll", U"d"};
    for (const std::u32string_view ending : kEndings) {
      size_t same = 0;
      while (same < ending.size() && small(at + 1 + same) == ending[same]) ++same;
      if (same == ending.size()) return at + 1 + same;
    }
    return at;
  }

  std::string_view text_;
  std::vector<Letter> letters_;
  bool modern_;
  int most_;
};

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kModernBegin = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)",
                           kModernEnd = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

}  // namespace

std::optional<WordExpression> known_expression(std::string_view text) {
  if (text == kGpt2) return WordExpression{};
  if (!text.starts_with(kModernBegin) || !text.ends_with(kModernEnd) ||
      text.size() < kModernBegin.size() + kModernEnd.size())
    return {};
  const std::string_view numbers =
      text.substr(kModernBegin.size(), text.size() - kModernBegin.size() - kModernEnd.size());
  if (numbers == R"(\p{N})") return WordExpression{true, 1};
  if (numbers == R"(\p{N}{1,3})") return WordExpression{true, 3};
  if (numbers == R"(\p{N}+)") return WordExpression{true, 0};
  return {};
}

std::vector<std::string_view> split_words(std::string_view text, const WordExpression& expression) {
  return Splitter(text, expression).split();
}

std::vector<std::string_view> split_digits(std::string_view text, bool each) {
  std::vector<std::string_view> parts;
  const std::vector<Letter> letters = letters_of(text);
  for (size_t at = 0; letters[at].kind != Class::end;) {
    const bool digits = letters[at].kind == Class::number;
    size_t end = at + 1;
    while (letters[end].kind != Class::end && (letters[end].kind == Class::number) == digits &&
           !(digits && each))
      ++end;
    parts.push_back(text.substr(letters[at].begin, letters[end].begin - letters[at].begin));
    at = end;
  }
  return parts;
}

}  // namespace attune
