#include "text/placeholders.h"

#include <algorithm>

#include "base/ascii.h"
#include "text/characters.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr size_t kLongest = 80;  // of a placeholder in braces
constexpr auto kNone = std::string_view::npos;

bool is_one_of(char c, std::string_view list) { return list.find(c) != kNone; }
bool is_name(char c) { return is_ascii_letter(c) || is_ascii_digit(c) || is_one_of(c, "_.-"); }

size_t names(std::string_view text, size_t at) {
  while (at < text.size() && is_name(text[at])) ++at;
  return at;
}

// {name}, {имя}, {0:.2f}, {{ name }}, ${name}. Returns its length; 0 if there is none.
size_t braces(std::string_view text) {
  text = text.substr(0, kLongest);
  size_t at = text.starts_with('$') ? 1 : 0;
  const std::string_view open = text.substr(at).starts_with("{{") ? "{{" : "{";
  if (!text.substr(at).starts_with(open)) return 0;
  const size_t end = text.find(open == "{" ? "}" : "}}", at);
  if (end == kNone) return 0;
  for (at += open.size(); at < end; ++at)
    if (is_ascii_blank_or_control(text[at]) && open == "{") return 0;
  return end + open.size();
}

// printf's: %s, %-5.2f, %1$s, %(name)s, %@. Not "100% sure".
size_t percent(std::string_view text) {
  if (!text.starts_with('%')) return 0;
  size_t at = 1;
  if (text.substr(at).starts_with('(')) {
    at = names(text, at + 1);
    if (!text.substr(at).starts_with(')')) return 0;
    ++at;
  }
  while (at < text.size() && (is_ascii_digit(text[at]) || is_one_of(text[at], "$.+-#"))) ++at;
  while (at < text.size() && is_one_of(text[at], "hlzjt")) ++at;
  const bool ends = at < text.size() && is_one_of(text[at], "sdiufFeEgGxXoc@") &&
                    (at + 1 == text.size() || !is_ascii_letter(text[at + 1]));
  return ends ? at + 1 : 0;
}

// Non-ASCII letters of an address; Chinese, Japanese and Korean ones belong to the sentence around it.
size_t foreign_letter(std::string_view text) {
  const auto c = Utf8Reader(text).next();
  if (!c || !is_in(c->value, kLetters | kDigits)) return 0;
  return is_wide(c->value) ? 0 : c->bytes.size();
}

size_t page(std::string_view text) {
  size_t length = 0;
  for (const std::string_view begin : {"http://", "https://", "ftp://", "www."})
    if (same_but_for_case(text.substr(0, begin.size()), begin)) length = begin.size();
  if (length == 0 || length == text.size()) return 0;
  const size_t least = length;
  while (length < text.size()) {
    const bool ascii = is_ascii_visible(text[length]) && !is_one_of(text[length], "\"<>`{}|\\^");
    const size_t more = ascii ? 1 : byte_of(text[length]) < 0x80 ? 0 : foreign_letter(text.substr(length));
    if (more == 0) break;
    length += more;
  }
  while (length > least && is_one_of(text[length - 1], ".,;:!?)'")) --length;  // punctuation of the sentence
  return length == least ? 0 : length;
}

// name@host.tld. Called where a name begins.
size_t mail(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && (is_name(text[at]) || text[at] == '+')) ++at;
  if (at == 0 || at == text.size() || text[at] != '@') return 0;
  size_t end = names(text, at + 1);
  while (end > at + 1 && !is_ascii_letter(text[end - 1]) && !is_ascii_digit(text[end - 1])) --end;
  return text.substr(at, end - at).find('.') == kNone ? 0 : end;
}

}  // namespace

std::vector<TextSpan> find_placeholders(std::string_view text) {
  std::vector<TextSpan> spans;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool begins = at == 0 || (!is_name(text[at - 1]) && text[at - 1] != '+');
    size_t length = std::max(braces(rest), percent(rest));
    if (length == 0 && begins) length = std::max(page(rest), mail(rest));
    if (length > 0) spans.push_back({at, at + length});
    at += std::max<size_t>(length, 1);
  }
  return spans;
}

}  // namespace attune
