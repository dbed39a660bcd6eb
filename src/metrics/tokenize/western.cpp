#include "metrics/tokenize/western.h"

#include "base/ascii.h"
#include "metrics/tokenize/spacing.h"

namespace attune::metrics {
namespace {

bool is_no_digit(char c) { return !is_ascii_digit(c); }
bool is_stop(char c) { return c == '.' || c == ','; }
bool is_dash(char c) { return c == '-'; }

}  // namespace

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string unescape(std::string text) {
  if (text.find('&') == std::string::npos) return text;
  text = replace_all(std::move(text), "&quot;", "\"");
  text = replace_all(std::move(text), "&amp;", "&");
  text = replace_all(std::move(text), "&lt;", "<");
  return replace_all(std::move(text), "&gt;", ">");
}

std::string space_punctuation(const std::string& text) {
  return space_characters(text, [](char c) {
    return is_between(c, ' ', '&') || is_between(c, '(', '+') || c == '/' || is_between(c, ':', '@') ||
           is_between(c, '[', '`') || is_between(c, '{', '~');
  });
}

std::string space_stops_and_dashes(const std::string& text) {
  const std::string after_other = space_pairs(text, is_no_digit, is_stop, Apart::second);
  const std::string before_other = space_pairs(after_other, is_stop, is_no_digit, Apart::first);
  return space_pairs(before_other, is_ascii_digit, is_dash, Apart::second);
}

}  // namespace attune::metrics
