#include "serve/html.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "serve/cut_document.h"

namespace attune::serve {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr size_t kDeepest = 32;  // tags inside each other

// Tags inside a line of text; all others end it.
constexpr std::array<std::string_view, 31> kInline{
    "a",     "abbr", "acronym", "b",      "bdi", "bdo", "big", "cite", "code", "data", "del",
    "dfn",   "em",   "font",    "i",      "img", "ins", "kbd", "mark", "q",    "s",    "samp",
    "small", "span", "strike",  "strong", "sub", "sup", "tt",  "u",    "var"};
constexpr std::array<std::string_view, 5> kVerbatim{"code", "kbd", "samp", "var", "tt"};  // kept as they are
constexpr std::array<std::string_view, 4> kRaw{"script", "style", "pre", "textarea"};  // with all inside them

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kEntities{{
    {"amp", "&"},   {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},   {"nbsp", "\u00A0"},
    {"auml", "ä"},  {"ouml", "ö"},   {"uuml", "ü"},   {"Auml", "Ä"},   {"Ouml", "Ö"},   {"Uuml", "Ü"},
    {"szlig", "ß"}, {"eacute", "é"}, {"egrave", "è"}, {"agrave", "à"}, {"ccedil", "ç"}, {"ndash", "–"},
    {"mdash", "—"}, {"hellip", "…"}, {"euro", "€"},   {"rsquo", "’"},
}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct Tag {
  size_t length = 0;      // bytes; 0: there is none
  std::string name = {};  // in small letters; empty for comments and the like
  bool closes = false, keep = false;
  bool endless = false;  // it begins, but does not end
};

// At a '<'.
Tag tag_at(std::string_view text) {
  const auto to = [&](std::string_view end, size_t from) {
    const size_t at = text.find(end, from);
    return Tag{.length = at == kNone ? 0 : at + end.size(), .endless = at == kNone};
  };
  if (text.starts_with("<!--")) return to("-->", 4);
  if (text.starts_with("<!") || text.starts_with("<?")) return to(">", 2);
  Tag tag;
  size_t at = 1;
  if (text.substr(at).starts_with('/')) ++at, tag.closes = true;
  if (at >= text.size() || !is_letter(text[at])) return {};
  for (; at < text.size() && text[at] != '>' && text[at] != '/' && text[at] > ' '; ++at)
    tag.name += is_letter(text[at]) ? static_cast<char>(text[at] | 0x20) : text[at];
  const size_t attributes = at;
  for (char quote = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '>')
      break;
  }
  if (at >= text.size()) return {.endless = true};
  const std::string_view rest = text.substr(attributes, at - attributes);
  tag.keep = rest.find("translate=\"no\"") != kNone || rest.find("notranslate") != kNone ||
             std::ranges::find(kVerbatim, tag.name) != kVerbatim.end();
  tag.length = at + 1;
  return tag;
}

std::string utf8_of(uint32_t c) {
  std::string bytes;
  const auto add = [&](uint32_t byte) { bytes += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | c >> 6), add(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 0x3F)), add(0x80 | (c & 0x3F));
  } else {
    add(0xF0 | c >> 18), add(0x80 | (c >> 12 & 0x3F)), add(0x80 | (c >> 6 & 0x3F)), add(0x80 | (c & 0x3F));
  }
  return bytes;
}

struct Entity {
  size_t length = 0;  // bytes; 0: there is none
  std::string text;   // empty: one that is not known
};

// At an '&'.
Entity entity_at(std::string_view text) {
  constexpr size_t kLongest = 32;
  const size_t end = text.substr(0, kLongest).find(';');
  if (end == kNone || end < 2) return {};
  const std::string_view name = text.substr(1, end - 1);
  if (name.starts_with('#')) {
    const bool hexadecimal = name.size() > 1 && (name[1] | 0x20) == 'x';
    const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
    uint32_t value = 0;
    const auto [last, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    const bool valid = error == std::errc() && last == digits.data() + digits.size() && value >= 0x20 &&
                       value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
    return valid ? Entity{end + 1, utf8_of(value)} : Entity{};
  }
  if (!std::ranges::all_of(name, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); })) return {};
  const auto found = std::ranges::find(kEntities, name, [](const auto& each) { return each.first; });
  return {end + 1, found == kEntities.end() ? "" : std::string(found->second)};
}

class Cutter {
 public:
  explicit Cutter(std::string_view html) : html_(html) {}

  std::vector<HtmlRun> all() {
    while (at_ < html_.size()) {
      const char c = html_[at_];
      if (c == '<' && !text_only_)
        read_markup();
      else if (c == '&')
        read_entity();
      else
        add_text(c <= ' ' ? " " : html_.substr(at_, 1), 1);
    }
    end_run(html_.size());
    if (!verbatim_.empty() || runs_.empty() || !runs_.back().text.empty())
      runs_.push_back({std::move(verbatim_), ""});
    return std::move(runs_);
  }

 private:
  struct Open {
    std::string name;
    size_t mark, html;  // its number, and where the tag begins
    bool keep;
  };

  std::string_view rest() const { return html_.substr(at_); }

  void add_text(std::string_view text, size_t bytes) {
    run_.text += text;
    at_ += bytes;
  }

  void read_entity() {
    const Entity entity = entity_at(rest());
    if (entity.length == 0) return add_text("&", 1);
    if (entity.text.empty()) {
      const size_t here = run_.text.size();
      run_.marks.push_back({here, here, std::string(rest().substr(0, entity.length)), ""});
    }
    add_text(entity.text, entity.length);
  }

  void read_markup() {
    const Tag tag = tag_at(rest());
    if (tag.length == 0) {
      if (tag.endless) text_only_ = true;
      return add_text("<", 1);
    }
    if (std::ranges::find(kInline, tag.name) != kInline.end()) return read_inline(tag);
    const size_t begin = at_;
    at_ += tag.length;
    if (!tag.closes && std::ranges::find(kRaw, tag.name) != kRaw.end()) skip_element(tag.name);
    end_run(begin);
    verbatim_ += html_.substr(begin, at_ - begin);
    run_begin_ = at_;
  }

  void skip_element(const std::string& name) {
    for (at_ = html_.find("</", at_); at_ != kNone; at_ = html_.find("</", at_ + 1)) {
      const std::string_view found = html_.substr(at_ + 2, name.size());
      if (!std::ranges::equal(found, name, [](char a, char b) { return (a | 0x20) == b; })) continue;
      at_ = html_.find('>', at_);
      break;
    }
    at_ = at_ == kNone ? html_.size() : at_ + 1;
  }

  void read_inline(const Tag& tag) {
    const size_t here = run_.text.size();
    std::string markup(rest().substr(0, tag.length));
    at_ += tag.length;
    const auto match =
        std::find_if(open_.rbegin(), open_.rend(), [&](const Open& each) { return each.name == tag.name; });
    if (!tag.closes || match == open_.rend()) {
      if (!tag.closes && tag.name != "img" && open_.size() < kDeepest)
        open_.push_back({tag.name, run_.marks.size(), at_ - tag.length, tag.keep});
      run_.marks.push_back({here, here, std::move(markup), ""});
      return;
    }
    Mark& mark = run_.marks[match->mark];
    mark.end = here;
    mark.after = std::move(markup);
    if (match->keep) {
      mark.before = html_.substr(match->html, at_ - match->html);
      mark.after.clear();
      mark.literal = true;
      run_.marks.resize(match->mark + 1);  // what is inside comes with it
    }
    open_.erase(std::prev(match.base()), open_.end());
  }

  // A run without letters stays as it is.
  void end_run(size_t end) {
    if (has_letters(run_.text)) {
      run_.before = std::exchange(verbatim_, "");
      runs_.push_back(std::move(run_));
    } else {
      verbatim_ += html_.substr(run_begin_, end - run_begin_);
    }
    run_ = {};
    open_.clear();
    run_begin_ = end;
  }

  std::string_view html_;
  size_t at_ = 0, run_begin_ = 0;
  std::vector<HtmlRun> runs_;
  HtmlRun run_;
  std::vector<Open> open_;
  std::string verbatim_;    // markup before the run
  bool text_only_ = false;  // there is no markup any more
};

}  // namespace

std::vector<HtmlRun> cut_html(std::string_view html) { return Cutter(html).all(); }

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace attune::serve
