// ScriptCheck: whether text is in the script of its language: Latin, Cyrillic, Han and so on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune {

class ScriptCheck {
 public:
  // By the language, as in "en" or "zh-TW". Nothing is expected of one that Unicode's data does not know.
  static ScriptCheck of_language(const std::string& language);
  // By the scripts that a tenth of the letters of some text are in.
  static ScriptCheck of_text(const std::vector<std::string_view>& lines);

  // Whether at least half of the letters of a line (which is UTF-8) are as expected. So are lines without.
  bool accepts(std::string_view line) const;

 private:
  std::vector<int> expected_;  // ICU's codes; empty: any
};

}  // namespace attune
