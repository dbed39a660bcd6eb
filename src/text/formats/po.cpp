// PO (gettext): msgid and msgstr. Of plural forms the first belongs to the singular and the last to the
// plural (the only one to the plural). The header's Language is that of msgstr.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "attune/error.h"
#include "base/ascii.h"
#include "text/bytes/byte_lines.h"
#include "text/formats/corpus_format.h"

namespace attune {
namespace {

struct Entry {
  int64_t line = 0;  // of its msgid
  bool fuzzy = false, seen_id = false;
  std::string id, plural;
  std::map<std::string, std::string> translations;  // by what stands in brackets; "" if nothing does
  size_t bytes = 0;
};

class PoReader {
 public:
  PoReader(const UnitInput& input, const TakeUnit& take) : input_(input), take_(take), lines_(input.text) {}

  void operator()() {
    while (!lines_.ended()) {
      const std::string line = on_one_line(lines_.next(kLongestUnit));
      try {
        read(line);
      } catch (const Fault& fault) {
        if (!bad_) bad_ = {.line = lines_.number(), .state = UnitState::bad, .reason = fault.why};
      }
    }
    give();
  }

 private:
  struct Fault {
    std::string why;
  };

  void read(std::string_view line) {
    if (line.empty()) return;
    if (line.starts_with('#')) {
      if (!entry_.translations.empty()) give();
      if (line.starts_with("#,") && line.find("fuzzy") != std::string_view::npos) entry_.fuzzy = true;
      return;
    }
    if (!line.starts_with('"')) {
      const size_t end = line.find_first_of(" \"");
      begin(line.substr(0, end));
      line = end == std::string_view::npos ? "" : line.substr(line.find_first_not_of(' ', end));
    }
    if (text_ == nullptr) throw Fault{"a text stands here without a keyword"};
    append(line);
  }

  void begin(std::string_view keyword) {
    if (!entry_.translations.empty() && !keyword.starts_with("msgstr")) give();
    if (keyword == "msgctxt") {
      text_ = &ignored_;
      ignored_.clear();
    } else if (keyword == "msgid") {
      entry_.line = lines_.number();
      entry_.seen_id = true;
      text_ = &entry_.id;
    } else if (keyword == "msgid_plural") {
      text_ = &entry_.plural;
    } else if (keyword.starts_with("msgstr") && entry_.seen_id) {
      text_ = &entry_.translations[std::string(keyword.substr(6))];
      if (entry_.translations.size() > 100) throw Fault{"there are more than 100 plural forms"};
    } else {
      text_ = nullptr;
      throw Fault{fmt::format("'{}' is not a keyword that may stand here", keyword.substr(0, 40))};
    }
  }

  // A text in quotes, as in C.
  void append(std::string_view quoted) {
    if (quoted.size() < 2 || !quoted.starts_with('"') || !quoted.ends_with('"'))
      throw Fault{"a text in quotes should stand here"};
    quoted = quoted.substr(1, quoted.size() - 2);
    entry_.bytes += quoted.size();
    if (entry_.bytes > kLongestUnit) throw Fault{fmt::format("it has more than {} MB", kLongestUnit >> 20)};
    for (size_t i = 0; i < quoted.size(); ++i) {
      if (quoted[i] == '"') throw Fault{"a quote stands here without a backslash"};
      if (quoted[i] != '\\') {
        *text_ += quoted[i];
        continue;
      }
      if (++i == quoted.size()) throw Fault{"the closing quote is missing"};
      switch (quoted[i]) {
        case 'n':
        case 'r':
        case 'v':
        case 'f': *text_ += '\n'; break;
        case 't': *text_ += '\t'; break;
        case 'a':
        case 'b': break;
        default: *text_ += quoted[i];
      }
    }
  }

  void give() {
    const Entry entry = std::exchange(entry_, {});
    auto bad = std::exchange(bad_, std::nullopt);
    text_ = nullptr;
    if (bad) return take_(std::move(*bad));
    if (!entry.seen_id) return;
    if (entry.id.empty() && entry.plural.empty()) return read_header(entry);
    if (entry.translations.empty())
      return take_({.line = entry.line, .state = UnitState::bad, .reason = "it has no msgstr"});
    const std::string &first = entry.translations.begin()->second,
                      &last = entry.translations.rbegin()->second;
    const bool plural = !entry.plural.empty();
    if (!plural || entry.translations.size() > 1) give_pair(entry, entry.id, first);
    if (plural) give_pair(entry, entry.plural, last);
  }

  void give_pair(const Entry& entry, const std::string& id, const std::string& translation) {
    Unit unit{.line = entry.line};
    if (entry.fuzzy || translation.empty()) {
      unit.state = UnitState::omitted;
      unit.reason = entry.fuzzy ? "fuzzy" : "not translated";
    }
    unit.fields = {{"", id}, {language_, translation}};
    take_(std::move(unit));
  }

  void read_header(const Entry& entry) {
    if (entry.translations.empty()) return;
    const std::string& header = entry.translations.begin()->second;
    language_ = value_of(header, "\nlanguage:");
    const std::string charset = value_of(header, "charset=");
    if (!charset.empty() && charset != "utf-8" && charset != "utf8" && charset != "ascii" &&
        charset != "us-ascii" && charset != "charset")
      throw UsageError(
          fmt::format("{}: its charset is {}; `msgconv -t UTF-8` converts it", input_.path, charset));
  }

  // What follows a name in the header, up to a blank or the end of the line.
  static std::string value_of(const std::string& header, std::string_view name) {
    std::string small = ascii_small(header);
    small.insert(0, 1, '\n');
    size_t begin = small.find(name);
    if (begin == std::string::npos) return {};
    begin = std::min(small.find_first_not_of(' ', begin + name.size()), small.size());
    const size_t end = std::min(small.find_first_of(" \n;", begin), small.size());
    return small.substr(begin, end - begin);
  }

  const UnitInput& input_;
  const TakeUnit& take_;
  ByteLines lines_;
  Entry entry_;
  std::optional<Unit> bad_;  // says what is wrong with the entry
  std::string language_, ignored_;
  std::string* text_ = nullptr;  // that lines in quotes go on
};

// The first line that is not a comment.
bool begins_with_message(std::string_view head) {
  while (head.starts_with('#') || head.starts_with('\n') || head.starts_with('\r')) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos) return false;
    head.remove_prefix(end + 1);
  }
  return head.starts_with("msgid \"") || head.starts_with("msgctxt \"");
}

const RegisterFormat registered{
    {.name = "PO",
     .extensions = {".po", ".pot"},
     .names = FieldNames::sides,
     .begins = begins_with_message,
     .read = [](const UnitInput& input, const TakeUnit& take) { PoReader(input, take)(); }}};

}  // namespace
}  // namespace attune
