#include "text/formats/unit.h"

#include <algorithm>

namespace attune {

std::string on_one_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const size_t end = text.find_last_not_of(kBlanks) + 1;  // npos + 1 is 0
  if (begin >= end) return {};
  text = text.substr(begin, end - begin);
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const size_t word = std::min(text.find_first_of(kBlanks), text.size());
    line += text.substr(0, word);
    text.remove_prefix(word);
    const size_t next = std::min(text.find_first_not_of(kBlanks), text.size());
    const std::string_view blanks = text.substr(0, next);
    line += blanks.find_first_not_of(' ') == std::string_view::npos ? blanks : " ";
    text.remove_prefix(next);
  }
  return line;
}

}  // namespace attune
