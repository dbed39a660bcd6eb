#include "serve/markup/share_document.h"

namespace attune::serve {

std::vector<std::string> share_document(const std::vector<CutLine>& lines, size_t most) {
  size_t all = 0, done = 0;
  for (const CutLine& line : lines)
    for (const CutPart& part : line.parts) all += part.tokens.size();
  std::vector<std::string> shares(1);
  for (const CutLine& line : lines) {
    if (line.parts.empty()) shares.back() += line.before;
    for (size_t i = 0; i < line.parts.size(); ++i) {
      const size_t tokens = line.parts[i].tokens.size();
      const bool due = (2 * done + tokens) * most >= 2 * shares.size() * all;  // its middle is past the end
      // A line without letters would not be translated.
      if (due && done > 0 && shares.size() < most && has_letters(line.parts[i].text)) shares.emplace_back();
      if (i == 0) shares.back() += line.before;
      shares.back() += line.parts[i].text;
      if (i + 1 < line.parts.size()) shares.back() += line.parts[i].space;  // the last one's is in `after`
      done += tokens;
    }
    shares.back() += line.after;
  }
  return shares;
}

}  // namespace attune::serve
