#include "serve/placeholders.h"

#include <algorithm>
#include <map>

namespace attune::serve {
namespace {

constexpr size_t kLongest = 80;  // of a placeholder in braces
constexpr auto kNone = std::string_view::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-'; }

size_t names(std::string_view text, size_t at) {
  while (at < text.size() && is_name(text[at])) ++at;
  return at;
}

// {name}, {0:.2f}, {{name}}, ${name}. The length; 0 if there is none.
size_t braces(std::string_view text) {
  size_t at = text.starts_with('$') ? 1 : 0;
  const std::string_view open = text.substr(at).starts_with("{{") ? "{{" : "{";
  if (!text.substr(at).starts_with(open)) return 0;
  const size_t end = text.find(open == "{" ? "}" : "}}", at);
  if (end == kNone || end > kLongest) return 0;
  for (at += open.size(); at < end; ++at)
    if (text[at] <= ' ' && open == "{") return 0;
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
  while (at < text.size() && (is_digit(text[at]) || std::string_view("$.+-#").find(text[at]) != kNone)) ++at;
  while (at < text.size() && std::string_view("hlzjt").find(text[at]) != kNone) ++at;
  const bool ends = at < text.size() && std::string_view("sdiufFeEgGxXoc@").find(text[at]) != kNone &&
                    (at + 1 == text.size() || !is_letter(text[at + 1]));
  return ends ? at + 1 : 0;
}

size_t page(std::string_view text) {
  size_t length = 0;
  for (const std::string_view begin : {"http://", "https://", "ftp://", "www."})
    if (text.starts_with(begin)) length = begin.size();
  if (length == 0 || length == text.size()) return 0;
  while (length < text.size() && text[length] > ' ' && text[length] <= '~' &&
         std::string_view("\"<>`{}|\\^").find(text[length]) == kNone)
    ++length;
  while (std::string_view(".,;:!?)'").find(text[length - 1]) != kNone) --length;  // of the sentence
  return length;
}

// name@host.tld. Called where a name begins.
size_t mail(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && (is_name(text[at]) || text[at] == '+')) ++at;
  if (at == 0 || at == text.size() || text[at] != '@') return 0;
  size_t end = names(text, at + 1);
  while (end > at + 1 && !is_letter(text[end - 1]) && !is_digit(text[end - 1])) --end;
  return text.substr(at, end - at).find('.') == kNone ? 0 : end;
}

}  // namespace

std::vector<Mark> find_placeholders(std::string_view sentence) {
  std::vector<Mark> marks;
  for (size_t at = 0; at < sentence.size();) {
    const std::string_view rest = sentence.substr(at);
    const bool begins = at == 0 || !is_name(sentence[at - 1]);
    size_t length = std::max(braces(rest), percent(rest));
    if (length == 0 && begins) length = std::max(page(rest), mail(rest));
    if (length > 0) marks.push_back({at, at + length, std::string(rest.substr(0, length)), "", true});
    at += std::max<size_t>(length, 1);
  }
  return marks;
}

std::vector<Mark> lost_placeholders(const std::vector<Mark>& placeholders, std::string_view output) {
  std::map<std::string_view, int64_t> wanted;
  for (const Mark& mark : placeholders) ++wanted[mark.before];
  for (auto& [text, count] : wanted)
    for (size_t at = output.find(text); at != kNone; at = output.find(text, at + text.size())) --count;
  std::vector<Mark> lost;
  std::ranges::copy_if(placeholders, std::back_inserter(lost),
                       [&](const Mark& mark) { return wanted[mark.before] > 0; });
  return lost;
}

}  // namespace attune::serve
