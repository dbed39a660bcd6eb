#include "serve/markup/html_elements.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace attune::serve {
namespace {

constexpr size_t kDeepest = 64;  // open elements inside a line whose end tags are looked for

template <size_t n>
using Names = std::array<std::string_view, n>;

constexpr Names<40> kInline{"a",      "abbr", "acronym", "b",    "bdi",   "bdo",    "big", "cite",
                            "code",   "data", "del",     "dfn",  "em",    "font",   "i",   "img",
                            "ins",    "kbd",  "label",   "mark", "nobr",  "output", "q",   "rp",
                            "rt",     "ruby", "s",       "samp", "small", "span",   "sub", "strike",
                            "strong", "sup",  "time",    "tt",   "u",     "var",    "wbr", "rb"};
constexpr Names<15> kVoid{"area",  "base", "br",   "col",   "embed",  "frame", "hr", "img",
                          "input", "link", "meta", "param", "source", "track", "wbr"};
constexpr Names<14> kKept{"code",   "kbd",   "samp", "var",    "tt",      "pre",      "textarea",
                          "script", "style", "xmp",  "iframe", "noembed", "noframes", "math"};

// A tag in `starts` ends an innermost open element in `ends`.
struct Implied {
  std::string_view starts, ends;  // with blanks around each name
};
constexpr Implied kImplied[] = {
    {" address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer "
     "form h1 h2 h3 "
     "h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt ",
     " p "},
    {" li ", " li "},
    {" dd dt ", " dd dt "},
    {" option optgroup ", " option "},
    {" optgroup ", " optgroup "},
    {" td th tr tbody tfoot thead ", " td th "},
    {" tr tbody tfoot thead ", " tr "},
    {" tbody tfoot thead ", " tbody tfoot thead "},
};

template <size_t n>
bool has(const Names<n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool has(std::string_view list, const std::string& name) {
  return list.find(" " + name + " ") != std::string_view::npos;
}

bool has_word(std::string_view list, std::string_view word) {
  constexpr std::string_view kSpace = " \t\n\f\r";
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(kSpace), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

bool is_inline(std::string_view name) { return has(kInline, name); }
bool is_void(std::string_view name) { return has(kVoid, name); }

bool is_kept(const HtmlToken& tag) {
  const std::string_view translate = tag.attribute("translate");
  if (same_but_for_case(translate, "no") || has_word(tag.attribute("class"), "notranslate")) return true;
  return has(kKept, tag.name) && !same_but_for_case(translate, "yes");
}

bool OpenElements::end_implied(const HtmlToken& start) {
  const size_t before = open_.size();
  const auto ended = [&] {
    return std::ranges::any_of(kImplied, [&](const Implied& each) {
      return has(each.starts, start.name) && has(each.ends, open_.back().name);
    });
  };
  while (!open_.empty() && ended()) pop();
  return open_.size() < before;
}

void OpenElements::open(const HtmlToken& start) {
  if (is_void(start.name)) return;
  open_.push_back({start.name, is_inline(start.name), is_kept(start)});
  if (!open_.back().in_line) ++blocks_[start.name];
  kept_ += open_.back().kept ? 1 : 0;
}

bool OpenElements::close(const HtmlToken& end) {
  const auto pop_to = [&] {
    while (open_.back().name != end.name) pop();
    const bool outermost = open_.back().kept && kept_ == 1;
    pop();
    return outermost;
  };
  if (!is_inline(end.name)) {
    const auto count = blocks_.find(end.name);
    return count != blocks_.end() && count->second > 0 && pop_to();
  }
  // It does not end elements that are not part of the line.
  for (size_t i = open_.size(); i > 0 && open_.size() - i < kDeepest && open_[i - 1].in_line; --i)
    if (open_[i - 1].name == end.name) return pop_to();
  return false;
}

void OpenElements::pop() {
  const Element& last = open_.back();
  if (!last.in_line) --blocks_[last.name];
  kept_ -= last.kept ? 1 : 0;
  open_.pop_back();
}

}  // namespace attune::serve
