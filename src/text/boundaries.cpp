#include "text/boundaries.h"

#include "text/breaks.h"
#include "text/characters.h"
#include "text/placeholders.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune {
namespace {

// All but those inside placeholders.
std::vector<size_t> outside_placeholders(std::string_view text, const std::vector<size_t>& breaks) {
  const auto placeholders = find_placeholders(text);
  auto inside = placeholders.begin();
  std::vector<size_t> all;
  for (const size_t at : breaks) {
    while (inside != placeholders.end() && inside->end <= at) ++inside;
    if (inside == placeholders.end() || at <= inside->begin) all.push_back(at);
  }
  return all;
}

// 0 if there is none.
char32_t first_of(std::string_view text) { return text.empty() ? 0 : first_code_point(text).value; }

CodePoint last_of(std::string_view text) {
  return first_code_point(text.substr(code_point_begin(text, text.size() - 1)));
}

// The last character that is not combined with the one before it, such as a variation selector.
char32_t last_base(std::string_view text) {
  char32_t value = 0;
  while (!text.empty()) {
    const CodePoint last = last_of(text);
    value = last.value;
    if (!combines(value)) break;
    text.remove_suffix(last.bytes.size());
  }
  return value;
}

size_t without_space(std::string_view text) {
  while (!text.empty()) {
    const CodePoint last = last_of(text);
    if (!is_white_space(last.value)) break;
    text.remove_suffix(last.bytes.size());
  }
  return text.size();
}

std::vector<TextPart> parts_between(std::string_view text, const std::vector<size_t>& boundaries) {
  std::vector<TextPart> parts;
  for (size_t i = 1; i < boundaries.size(); ++i) {
    const std::string_view part = text.substr(boundaries[i - 1], boundaries[i] - boundaries[i - 1]);
    const size_t end = without_space(part);
    if (end > 0)
      parts.push_back({std::string(part.substr(0, end)), std::string(part.substr(end))});
    else if (!parts.empty())
      parts.back().space += part;
  }
  return parts;
}

constexpr Categories kInWords = kLetters | kDigits;

}  // namespace

std::vector<TextPart> sentences_of(std::string_view text) {
  return parts_between(text, outside_placeholders(text, sentence_breaks(text)));
}

std::vector<TextPart> words_of(std::string_view text) { return parts_between(text, word_boundaries(text)); }

std::vector<size_t> word_boundaries(std::string_view text) {
  return outside_placeholders(text, word_breaks(text));
}

bool ends_without_blank(std::string_view text) { return joins_without_blank(last_base(text)); }
bool begins_without_blank(std::string_view text) { return joins_without_blank(first_of(text)); }
bool ends_in_word(std::string_view text) { return is_in(last_base(text), kInWords); }
bool begins_in_word(std::string_view text) { return is_in(first_of(text), kInWords); }

}  // namespace attune
