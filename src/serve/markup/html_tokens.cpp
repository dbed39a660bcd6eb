#include "serve/markup/html_tokens.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace attune::serve {
namespace {

using Kind = HtmlToken::Kind;
constexpr auto kNone = std::string_view::npos;

// Elements whose text contains no tags; in the first two it may contain references.
constexpr std::array<std::string_view, 9> kRaw{"title",  "textarea", "script",   "style",    "xmp",
                                               "iframe", "noembed",  "noframes", "plaintext"};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
bool ends_name(char c) { return is_space(c) || c == '/' || c == '>'; }

}  // namespace

std::string_view HtmlToken::attribute(std::string_view wanted) const {
  for (const Attribute& each : attributes)
    if (same_but_for_case(each.name, wanted)) return each.value;
  return {};
}

std::optional<HtmlToken> HtmlTokens::next() {
  if (at_ == html_.size()) return {};
  if (!raw_.empty()) {
    const auto end = end_of_raw();
    const Kind kind = references_ ? Kind::text : Kind::raw;
    if (!end || *end == html_.size()) raw_.clear();
    if (!end) return take(kind, html_.size());
    raw_.clear();
    if (*end > at_) return take(kind, *end);
  }
  if (html_[at_] == '<') {
    const char second = at_ + 1 < html_.size() ? html_[at_ + 1] : '\0';
    if (is_ascii_letter(second)) return take_tag(Kind::start, at_ + 1);
    if (second == '/' && letter_at(at_ + 2)) return take_tag(Kind::end, at_ + 2);
    if (html_.substr(at_).starts_with("<!--")) return take_comment();
    if (second == '!' || second == '?' || (second == '/' && at_ + 2 < html_.size())) {
      const size_t end = html_.find('>', at_ + 2);
      return take(Kind::other, end == kNone ? html_.size() : end + 1);
    }
  }
  return take(Kind::text, std::min(html_.find('<', at_ + 1), html_.size()));
}

bool HtmlTokens::letter_at(size_t at) const { return at < html_.size() && is_ascii_letter(html_[at]); }

HtmlToken HtmlTokens::take(Kind kind, size_t end) {
  HtmlToken token{kind, html_.substr(at_, end - at_)};
  at_ = end;
  return token;
}

// "<!-->" and "<!--->" are comments too; one that does not end reaches to the end of the text.
HtmlToken HtmlTokens::take_comment() {
  for (size_t at = html_.find("--", at_ + 2); at != kNone; at = html_.find("--", at + 1)) {
    const std::string_view behind = html_.substr(at + 2);
    if (behind.starts_with('>')) return take(Kind::other, at + 3);
    if (behind.starts_with("!>") && at > at_ + 3) return take(Kind::other, at + 4);
  }
  return take(Kind::other, html_.size());
}

HtmlToken HtmlTokens::take_tag(Kind kind, size_t name) {
  HtmlToken token{kind, {}};
  size_t at = name;
  while (at < html_.size() && !ends_name(html_[at])) ++at;
  token.name = ascii_small(html_.substr(name, at - name));
  while (attribute_at(at, token)) {
  }
  if (at >= html_.size()) return take(Kind::other, html_.size());
  const auto raw = std::ranges::find(kRaw, token.name);
  if (kind == Kind::start && raw != kRaw.end()) {
    raw_ = token.name;
    references_ = raw < kRaw.begin() + 2;
  }
  token.source = html_.substr(at_, at + 1 - at_);
  at_ = at + 1;
  return token;
}

// Reads one; false at the end of the tag.
bool HtmlTokens::attribute_at(size_t& at, HtmlToken& token) const {
  const auto skip = [&](const auto& wanted) {
    const size_t begin = at;
    while (at < html_.size() && wanted(html_[at])) ++at;
    return html_.substr(begin, at - begin);
  };
  skip([](char c) { return is_space(c) || c == '/'; });
  if (at >= html_.size() || html_[at] == '>') return false;
  const size_t begin = at++;  // also a '='
  skip([](char c) { return !ends_name(c) && c != '='; });
  HtmlToken::Attribute attribute{html_.substr(begin, at - begin), {}};
  const size_t behind = at;
  skip(is_space);
  if (at < html_.size() && html_[at] == '=') {
    ++at;
    skip(is_space);
    const char quote = at < html_.size() ? html_[at] : '\0';
    if (quote == '"' || quote == '\'') {
      ++at;
      attribute.value = skip([&](char c) { return c != quote; });
      if (at < html_.size()) ++at;
    } else {
      attribute.value = skip([](char c) { return !is_space(c) && c != '>'; });
    }
  } else {
    at = behind;
  }
  token.attributes.push_back(attribute);
  return true;
}

std::optional<size_t> HtmlTokens::end_of_raw() const {
  if (raw_ == "plaintext") return {};
  for (size_t at = html_.find("</", at_); at != kNone; at = html_.find("</", at + 2)) {
    const size_t behind = at + 2 + raw_.size();
    if (behind < html_.size() && ends_name(html_[behind]) &&
        same_but_for_case(html_.substr(at + 2, raw_.size()), raw_))
      return at;
  }
  return {};
}

}  // namespace attune::serve
