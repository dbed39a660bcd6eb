#include "cli/rows/evaluate_input.h"

#include <fmt/core.h>
#include <unistd.h>

#include "attune/error.h"
#include "base/readable.h"
#include "metrics/tokenize/unicode.h"
#include "text/utf8.h"

namespace attune::cli {
namespace {

constexpr size_t kLines = 4096;  // at a time

}  // namespace

EvaluateInput::File::File(const std::string& name)
    : path(name),
      text(name == "-" ? std::make_unique<LineStream>(STDIN_FILENO, "stdin")
                       : std::make_unique<LineStream>(name)) {}

// Without the white space at the ends of lines.
metrics::Sentences EvaluateInput::File::next(size_t most) {
  metrics::Sentences some;
  for (; some.size() < most && !text->ended(); ++lines) {
    const std::string line = text->next();
    if (const auto at = find_invalid_utf8(line))
      throw UsageError(fmt::format("evaluate: {}, line {}: byte {} is not UTF-8", path, lines + 1, *at + 1));
    some.emplace_back(metrics::strip_end(line));
  }
  if (lines == 0) throw UsageError(fmt::format("evaluate: {} is empty", path == "-" ? "stdin" : path));
  return some;
}

std::string EvaluateInput::File::count() {
  while (!next(kLines).empty()) {
  }
  return fmt::format("{} has {}", path, counted(lines, "line"));
}

EvaluateInput::EvaluateInput(const std::vector<std::string>& hypotheses,
                             const std::vector<std::string>& references) {
  for (const std::string& path : hypotheses) hypotheses_.emplace_back(path);
  for (const std::string& path : references) references_.emplace_back(path);
}

std::optional<EvaluatedLines> EvaluateInput::next() {
  EvaluatedLines some{.first = hypotheses_[0].lines, .systems = {}, .references = {}};
  for (File& file : hypotheses_) some.systems.push_back(file.next(kLines));
  for (File& file : references_) some.references.push_back(file.next(kLines));
  for (size_t s = 0; s < hypotheses_.size(); ++s)
    for (size_t r = 0; r < references_.size(); ++r)
      if (hypotheses_[s].lines != references_[r].lines)
        throw UsageError(fmt::format("evaluate: {} but {}: line i of one must belong to line i of the other",
                                     hypotheses_[s].count(), references_[r].count()));
  if (some.systems[0].empty()) return {};
  return some;
}

}  // namespace attune::cli
