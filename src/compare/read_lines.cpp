#include "compare/read_lines.h"

#include <fmt/core.h>

#include "attune/error.h"
#include "base/readable.h"
#include "text/corpus/line_file.h"
#include "text/utf8.h"

namespace attune::compare {

metrics::Sentences read_lines(const std::string& path) {
  const LineFile file(path);
  metrics::Sentences lines;
  for (int64_t i = 0; i < file.lines(); ++i) {
    lines.push_back(file.line(i));
    if (const auto at = find_invalid_utf8(lines.back()))
      throw UsageError(fmt::format("{}, line {}: byte {} is not UTF-8", path, i + 1, *at + 1));
  }
  if (lines.empty()) throw UsageError(fmt::format("{}: the file is empty", path));
  return lines;
}

void require_as_many(const std::string& path, const metrics::Sentences& lines, const std::string& other,
                     const metrics::Sentences& others) {
  if (lines.size() != others.size())
    throw UsageError(fmt::format("{} has {}, but {} has {}: line i of one must belong to line i of the other",
                                 path, counted(std::ssize(lines), "line"), other,
                                 counted(std::ssize(others), "line")));
}

void require_no_blank(const std::string& path, const metrics::Sentences& lines, std::string_view what) {
  for (size_t i = 0; i < lines.size(); ++i)
    if (is_blank(lines[i])) throw UsageError(fmt::format("{}, line {}: the {} is empty", path, i + 1, what));
}

}  // namespace attune::compare
