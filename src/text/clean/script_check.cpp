#include "text/clean/script_check.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <map>

#include "text/utf8.h"

namespace attune {
namespace {

// How many letters of each script; those that all scripts share do not count.
std::map<int, int64_t> count_letters(std::string_view line) {
  std::map<int, int64_t> counts;
  for (Utf8Reader reader(line); const auto c = reader.next();) {
    const auto point = static_cast<UChar32>(c->value);
    if (!u_isalpha(point)) continue;
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(point, &status);
    if (script > USCRIPT_INHERITED) ++counts[script];
  }
  return counts;
}

int64_t sum(const std::map<int, int64_t>& counts) {
  int64_t all = 0;
  for (const auto& [script, count] : counts) all += count;
  return all;
}

}  // namespace

ScriptCheck ScriptCheck::of_language(const std::string& language) {
  UScriptCode codes[8] = {};
  UErrorCode status = U_ZERO_ERROR;
  const int32_t count = uscript_getCode(language.c_str(), codes, std::ssize(codes), &status);
  ScriptCheck check;
  if (U_FAILURE(status)) return check;
  for (int32_t i = 0; i < count; ++i) {
    const bool han = codes[i] == USCRIPT_SIMPLIFIED_HAN || codes[i] == USCRIPT_TRADITIONAL_HAN;
    check.expected_.push_back(han ? USCRIPT_HAN : codes[i]);
  }
  return check;
}

ScriptCheck ScriptCheck::of_text(const std::vector<std::string_view>& lines) {
  std::map<int, int64_t> all;
  for (const std::string_view line : lines)
    for (const auto& [script, count] : count_letters(line)) all[script] += count;
  ScriptCheck check;
  for (const auto& [script, count] : all)
    if (10 * count >= sum(all)) check.expected_.push_back(script);
  return check;
}

bool ScriptCheck::accepts(std::string_view line) const {
  if (expected_.empty()) return true;
  const auto counts = count_letters(line);
  int64_t fit = 0;
  for (const auto& [script, count] : counts)
    if (std::ranges::find(expected_, script) != expected_.end()) fit += count;
  return 2 * fit >= sum(counts);
}

}  // namespace attune
