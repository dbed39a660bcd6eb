#include "train/check/check_examples.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "attune/error.h"
#include "base/readable.h"
#include "base/threads/parallel.h"

namespace attune {
namespace {

constexpr int64_t kGrain = 256;  // lines that a thread takes at least

template <class T>
void merge_first(std::vector<T>& first, const std::vector<T>& more) {
  first.insert(first.end(), more.begin(), more.end());
  std::ranges::sort(first);
  if (first.size() > kShownPlaces) first.resize(kShownPlaces);
}

ExampleReport check_line(const RawCorpus& corpus, int64_t number, const Task& task,
                         const Vocabularies& vocabularies, int64_t limit) {
  ExampleReport report;
  const std::vector<std::string> columns = corpus.line(number);
  std::vector<TokenIds> sides;
  try {
    sides = task.example(vocabularies, {number, columns, Random(static_cast<uint64_t>(number))});
  } catch (const UsageError& error) {
    report.faulty = 1;
    report.first_faulty.emplace_back(number, error.what());
    return report;
  }
  int64_t total = 0;
  for (const TokenIds& side : sides) {
    const auto tokens = static_cast<int64_t>(side.size());
    report.tokens.push_back(tokens);
    report.longest = std::max(report.longest, tokens);
    total += tokens;
  }
  report.empty = std::ranges::any_of(sides, &TokenIds::empty) ? 1 : 0;
  report.too_long = report.empty == 0 && report.longest > limit ? 1 : 0;
  report.kept = 1 - report.empty - report.too_long;
  if (report.too_long > 0) report.first_too_long.push_back(number);
  if (report.kept > 0)
    report.epoch_tokens = corpus.weight(number) * static_cast<double>(total);
  else
    report.tokens.clear();
  return report;
}

}  // namespace

void ExampleReport::operator+=(const ExampleReport& other) {
  kept += other.kept;
  empty += other.empty;
  too_long += other.too_long;
  faulty += other.faulty;
  longest = std::max(longest, other.longest);
  tokens.resize(std::max(tokens.size(), other.tokens.size()));
  for (size_t i = 0; i < other.tokens.size(); ++i) tokens[i] += other.tokens[i];
  epoch_tokens += other.epoch_tokens;
  merge_first(first_too_long, other.first_too_long);
  merge_first(first_faulty, other.first_faulty);
}

ExampleReport check_examples(const RawCorpus& corpus, const Task& task, const Vocabularies& vocabularies,
                             int64_t limit) {
  ExampleReport all;
  std::mutex mutex;
  parallel_for(corpus.lines(), kGrain, [&](int64_t begin, int64_t end) {
    ExampleReport part;
    for (int64_t i = begin; i < end; ++i) part += check_line(corpus, i, task, vocabularies, limit);
    const std::lock_guard lock(mutex);
    all += part;
  });
  return all;
}

void report_examples(const RawCorpus& corpus, const ExampleReport& report, int64_t limit,
                     Findings& findings) {
  const auto places = [&corpus](const std::vector<int64_t>& lines, int64_t all) {
    std::vector<std::string> shown;
    for (const int64_t line : lines) shown.push_back(corpus.where(line));
    return fmt::format("{}{}", fmt::join(shown, ", "),
                       all > static_cast<int64_t>(lines.size()) ? ", ..." : "");
  };
  if (report.too_long > 0)
    findings.push_back({Severity::warning, "too_long", corpus.where(report.first_too_long[0]),
                        fmt::format("{} of {} examples have more than {} tokens and will be left out: {}",
                                    grouped(report.too_long), grouped(corpus.lines()), grouped(limit),
                                    places(report.first_too_long, report.too_long))});
  for (const auto& [line, text] : report.first_faulty)
    findings.push_back({Severity::error, "faulty_example", corpus.where(line), text});
  const auto shown = static_cast<int64_t>(report.first_faulty.size());
  if (report.faulty > shown)
    findings.push_back({Severity::error, "faulty_example", corpus.where(report.first_faulty.back().first),
                        fmt::format("{} more lines after it are like that", grouped(report.faulty - shown))});
  if (report.kept == 0 && report.faulty == 0)
    findings.push_back({Severity::error, "no_examples", "", "no line is left to learn from"});
}

}  // namespace attune
