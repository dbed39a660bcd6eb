#include "text/clean/clean_rules.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/ascii.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr CleanRule kRules[] = {
    {"utf8", "bytes that are not UTF-8"},
    {"empty", "a side without any text"},
    {"control", "control characters, or U+FFFD for characters that were lost"},
    {"long", "a side with more characters than --longest"},
    {"markup", "tags or entities of HTML or XML"},
    {"script", "a side mostly in another script than its language is written in"},
    {"identical", "both sides are the same"},
    {"ratio", "one side longer than --ratio times the other"},
    {"numbers", "both sides have numbers in digits, but not the same ones"},
    {"duplicates", "rows that came before"},
};

// Up to so many characters, how the lengths of two sides compare says nothing.
constexpr int64_t kShort = 20;

bool has_control(std::string_view text) {
  for (Utf8Reader reader(text); const auto c = reader.next();)
    if (c->value == 0xFFFD || (c->value != '\t' && u_iscntrl(static_cast<UChar32>(c->value)))) return true;
  return false;
}

// Letters, as in <b> and &amp;, or a number as in &#8217;.
bool is_tag(std::string_view text) {
  text.remove_prefix(1);
  if (text.starts_with('/') || text.starts_with('!')) text.remove_prefix(1);
  if (text.empty() || !is_ascii_letter(text[0])) return false;
  const size_t end = text.find_first_of("<>");
  return end != std::string_view::npos && text[end] == '>';
}

bool is_entity(std::string_view text) {
  const size_t end = text.find(';');
  if (end == std::string_view::npos || end < 3 || end > 10) return false;
  std::string_view name = text.substr(1, end - 1);
  const bool number = name.starts_with('#');
  if (number) name.remove_prefix(1);
  return !name.empty() && std::ranges::all_of(name, [number](char c) {
    return number ? is_ascii_digit(c) || is_ascii_letter(c) : is_ascii_letter(c);
  });
}

bool has_markup(std::string_view text) {
  for (size_t at = text.find_first_of("<&"); at != std::string_view::npos;
       at = text.find_first_of("<&", at + 1))
    if (text[at] == '<' ? is_tag(text.substr(at)) : is_entity(text.substr(at))) return true;
  return false;
}

// In letters of an alphabet: a character of Chinese, Japanese or Korean says about as much as three.
int64_t length_of(std::string_view text) {
  int64_t length = 0;
  for (Utf8Reader reader(text); const auto c = reader.next();) length += is_wide(c->value) ? 3 : 1;
  return length;
}

// The numbers of a text in order of their digits, in whatever script, without leading zeros. `joined`: one
// sign between digits (1,000 or 3.5) does not separate them.
std::vector<std::string> numbers_of(std::string_view text, bool joined) {
  std::vector<std::string> numbers;
  int64_t since = 2;  // characters since the last digit
  for (Utf8Reader reader(text); const auto c = reader.next(); ++since) {
    const int32_t digit = u_charDigitValue(static_cast<UChar32>(c->value));
    if (digit < 0) continue;
    if (since > (joined ? 1 : 0)) numbers.emplace_back();
    if (digit > 0 || !numbers.back().empty()) numbers.back() += static_cast<char>('0' + digit);
    since = -1;
  }
  std::ranges::sort(numbers);
  return numbers;
}

using Columns = std::vector<std::string>;

bool any_side(const Columns& columns, const std::function<bool(const std::string&)>& has) {
  return std::ranges::any_of(columns, has);
}

// Of each side beside the first.
bool any_pair(const Columns& columns,
              const std::function<bool(const std::string&, const std::string&)>& differ) {
  for (size_t c = 1; c < columns.size(); ++c)
    if (differ(columns[0], columns[c])) return true;
  return false;
}

// 1,000.5 and 1000,5 are the same if the digits are joined, 3.5.2020 and 5/3/2020 if they are not.
bool numbers_differ(const std::string& a, const std::string& b) {
  const auto first = numbers_of(a, false), second = numbers_of(b, false);
  return !first.empty() && !second.empty() && first != second && numbers_of(a, true) != numbers_of(b, true);
}

uint64_t hash_of(const Columns& columns) {
  std::string row;
  for (const std::string& column : columns) row.append(column).append(1, '\t');
  return std::hash<std::string>()(row);
}

}  // namespace

std::span<const CleanRule> clean_rules() { return kRules; }

CleanRules::CleanRules(CleanOptions options, std::vector<ScriptCheck> scripts)
    : options_(std::move(options)), scripts_(std::move(scripts)) {}

std::optional<std::string> CleanRules::broken(const Columns& columns) {
  // What is not text cannot be asked anything else.
  if (any_side(columns, [](const std::string& text) { return find_invalid_utf8(text).has_value(); }))
    return "utf8";
  if (is_on("empty") && any_side(columns, is_blank)) return "empty";
  if (is_on("control") && any_side(columns, has_control)) return "control";
  if (is_on("long") && any_side(columns, [this](const std::string& text) {
        return static_cast<int64_t>(count_code_points(text)) > options_.longest;
      }))
    return "long";
  if (is_on("markup") && any_side(columns, has_markup)) return "markup";
  for (size_t c = 0; is_on("script") && c < std::min(columns.size(), scripts_.size()); ++c)
    if (!scripts_[c].accepts(columns[c])) return "script";
  if (is_on("identical") && any_pair(columns, std::equal_to())) return "identical";
  if (is_on("ratio") && any_pair(columns, [this](const std::string& a, const std::string& b) {
        const auto [shorter, longer] = std::minmax({length_of(a), length_of(b)});
        return longer > kShort && static_cast<double>(longer) > options_.ratio * static_cast<double>(shorter);
      }))
    return "ratio";
  if (is_on("numbers") && any_pair(columns, numbers_differ)) return "numbers";
  if (is_on("duplicates") && !seen_.insert(hash_of(columns))) return "duplicates";
  return std::nullopt;
}

}  // namespace attune
