#include "demo/date_links.h"

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "text/utf8.h"

namespace attune::demo {
namespace {

// Where the digits of a part are in the ISO form: 2026-11-15 18:30.
struct Part {
  size_t begin, end;
};
constexpr Part kYear{0, 4}, kMonth{5, 7}, kDay{8, 10}, kHour{11, 13}, kMinute{14, 16};

// What a field of a pattern says; nothing for weekdays and parts of the day.
const Part* part_of(std::string_view field) {
  static const std::map<std::string_view, Part> parts{
      {"y", kYear},        {"Y", kYear},    {"m", kMonth},   {"mm", kMonth},   {"M", kMonth},
      {"month", kMonth},   {"mon", kMonth}, {"d", kDay},     {"dd", kDay},     {"th", kDay},
      {"er", kDay},        {"D", kDay},     {"H", kHour},    {"HH", kHour},    {"h", kHour},
      {"h0", kHour},       {"zh", kHour},   {"hour", kHour}, {"min", kMinute}, {"zmin", kMinute},
      {"next_hour", kHour}};
  const auto found = parts.find(field);
  return found == parts.end() ? nullptr : &found->second;
}

std::u32string characters(std::string_view text) {
  std::u32string all;
  for (Utf8Reader reader(text); const auto c = reader.next();) all += c->value;
  return all;
}

class Links {
 public:
  void sure(size_t source, size_t target) { links_[{source, target}] = true; }
  void possible(size_t source, size_t target) { links_.emplace(std::pair{source, target}, false); }
  std::string text() const {
    std::string all;
    for (const auto& [pair, sure] : links_)
      all += fmt::format("{}{}{}{}", all.empty() ? "" : " ", pair.first, sure ? '-' : 'p', pair.second);
    return all;
  }

 private:
  std::map<std::pair<size_t, size_t>, bool> links_;
};

// The field's leading digits, if they are those of the part, at its end: "5" for 05, "15th" for 15, 二〇二六.
void add_digits(Links& links, const std::string& iso, const Part& part, const std::u32string& field,
                size_t at) {
  static const std::u32string han = U"〇一二三四五六七八九";
  std::string digits;
  for (const char32_t c : field) {
    const size_t value = han.find(c);
    if (c >= '0' && c <= '9')
      digits += static_cast<char>(c);
    else if (value != std::u32string::npos)
      digits += static_cast<char>('0' + value);
    else
      break;
  }
  const std::string expected = iso.substr(part.begin, part.end - part.begin);
  if (digits.empty() || digits.size() > expected.size() ||
      std::string(expected.size() - digits.size(), '0') + digits != expected)
    return;
  for (size_t i = 0; i < digits.size(); ++i) links.sure(at + i, part.end - digits.size() + i);
}

void add_fields(Links& links, const std::string& iso, const Filled& filled, size_t offset) {
  const std::u32string text = characters(filled.text);
  for (const Filled::Field& field : filled.fields) {
    const Part* part = part_of(field.name);
    if (part == nullptr) continue;
    add_digits(links, iso, *part, text.substr(field.begin, field.end - field.begin), offset + field.begin);
    for (size_t i = field.begin; i < field.end; ++i)
      for (size_t j = part->begin; j < part->end; ++j) links.possible(offset + i, j);
  }
}

}  // namespace

std::string date_links(const std::string& iso, const Filled& date, const Filled& time) {
  const size_t day = count_code_points(date.text), all = day + count_code_points(time.text);
  Links links;
  add_fields(links, iso, date, 0);
  add_fields(links, iso, time, day);
  for (size_t j = 0; j < iso.size(); ++j) {
    const bool digit = is_ascii_digit(iso[j]);
    if (!digit || j >= kHour.begin)
      for (size_t i = digit ? day : 0; i < all; ++i) links.possible(i, j);
  }
  return links.text();
}

}  // namespace attune::demo
