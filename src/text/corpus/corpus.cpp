#include "text/corpus/corpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "attune/error.h"
#include "base/check.h"
#include "text/utf8.h"

namespace attune {
Corpus::Corpus(const std::vector<CorpusSource>& sources, InvalidUtf8 invalid) : invalid_(invalid) {
  if (sources.empty()) throw UsageError("a corpus needs at least one file");
  joined_ = sources[0].joined;
  for (const CorpusSource& given : sources) {
    CorpusFiles source = open(given);
    const LineFile& first = *source.files[0];
    const std::string head = first.lines() > 0 && source.tsv ? first.line(0) : "";
    const size_t columns =
        source.tsv ? static_cast<size_t>(std::ranges::count(head, '\t')) + 1 : source.files.size();
    if (sources_.empty()) columns_ = columns;
    if (columns < joined_)
      throw UsageError(fmt::format("{}: there {} of columns, but {} sources are to be read", first.path(),
                                   columns == 1 ? "is 1" : fmt::format("are {}", columns), joined_));
    if (columns != columns_)
      throw UsageError(fmt::format("{}: it has {} columns, but {} has {}", first.path(), columns,
                                   sources_[0].files[0]->path(), columns_));
    begins_.push_back(begins_.back() + first.lines());
    sources_.push_back(std::move(source));
  }
  if (lines() == 0) throw UsageError(fmt::format("{}: the file is empty", sources_[0].files[0]->path()));
}

CorpusFiles Corpus::open(const CorpusSource& given) const {
  if (given.files.empty() || (given.tsv && given.files.size() != 1))
    throw UsageError("a corpus is one TSV file, or one text file for each side");
  if (!(given.weight >= 0 && given.weight <= 1e6))
    throw UsageError(
        fmt::format("{}: its weight must be 0 to 1000000, but is {}", given.files[0], given.weight));
  CorpusFiles source(given, invalid_);
  for (const auto& last : source.files) {
    const LineFile& first = *source.files[0];
    if (first.lines() != last->lines())
      throw UsageError(
          fmt::format("{} has {} lines, but {} has {}; line n of one must belong to line n of the other "
                      "(`attune check` finds where they diverge)",
                      first.path(), first.lines(), last->path(), last->lines()));
  }
  return source;
}

Corpus::Place Corpus::place(int64_t number) const {
  check(number >= 0 && number < lines(), "corpus: line {} does not exist; there are {}", number, lines());
  const auto source = std::ranges::upper_bound(begins_, number) - begins_.begin() - 1;
  return {sources_[static_cast<size_t>(source)], number - begins_[static_cast<size_t>(source)]};
}

std::string Corpus::where(int64_t number, size_t column) const {
  const Place at = place(number);
  return at.source.where(at.line, column == 0 ? 0 : column + joined_ - 1);
}

std::string Corpus::checked(std::string text, const Place& at, size_t column) const {
  const auto bad = invalid_ == InvalidUtf8::keep ? std::nullopt : find_invalid_utf8(text);
  if (!bad) return text;
  if (invalid_ == InvalidUtf8::replace) return replace_invalid_utf8(text);
  throw UsageError(
      fmt::format("{}: byte {}{} is not UTF-8; convert the file, for example with `iconv`, or have invalid "
                  "bytes replaced",
                  at.source.where(at.line, column), *bad + 1,
                  at.source.tsv ? fmt::format(" of column {}", column + 1) : ""));
}

std::vector<std::string> Corpus::split(const Place& at) const {
  std::vector<std::string> fields = split_at_tabs(at.source.files[0]->line(at.line));
  if (fields.size() != columns_)
    throw UsageError(fmt::format("{}: it has {} columns, but the first line has {}",
                                 at.source.where(at.line, 0), fields.size(), columns_));
  return fields;
}

std::vector<std::string> Corpus::line(int64_t number) const {
  const Place at = place(number);
  std::vector<std::string> fields;
  if (at.source.tsv)
    fields = split(at);
  else
    for (const auto& file : at.source.files) fields.push_back(file->line(at.line));
  for (size_t i = 0; i < fields.size(); ++i) fields[i] = checked(std::move(fields[i]), at, i);
  for (size_t i = 1; i < joined_; ++i) fields[0] += '\t' + fields[i];
  fields.erase(fields.begin() + 1, fields.begin() + static_cast<std::ptrdiff_t>(joined_));
  return fields;
}

std::string Corpus::field(const Place& at, size_t column) const {
  return checked(at.source.tsv ? std::move(split(at)[column]) : at.source.files[column]->line(at.line), at,
                 column);
}

std::string Corpus::column(int64_t number, size_t column) const {
  check(column < columns(), "corpus: column {} does not exist; there are {}", column, columns());
  const Place at = place(number);
  if (column > 0) return field(at, column + joined_ - 1);
  std::string text = field(at, 0);
  for (size_t i = 1; i < joined_; ++i) text += '\t' + field(at, i);
  return text;
}

// Exactly the requested fraction of them: number i with the probability (wanted - taken) / (count - i), which
// makes every selection equally likely (Knuth's algorithm S).
void append_weighted(std::vector<int64_t>& numbers, int64_t begin, int64_t end, double weight,
                     const Random& choice) {
  const int64_t count = end - begin;
  const double whole = std::floor(weight);
  for (int64_t copy = 0; copy < static_cast<int64_t>(whole); ++copy)
    for (int64_t i = begin; i < end; ++i) numbers.push_back(i);
  auto wanted = std::llround((weight - whole) * static_cast<double>(count));
  for (int64_t i = 0; i < count && wanted > 0; ++i) {
    const auto left = static_cast<uint64_t>(count - i);
    if (choice.below(left, static_cast<uint64_t>(i)) >= static_cast<uint64_t>(wanted)) continue;
    numbers.push_back(begin + i);
    --wanted;
  }
}

std::vector<int64_t> Corpus::epoch(const Random& random) const {
  std::vector<int64_t> numbers;
  double expected = 0;
  for (size_t s = 0; s < sources_.size(); ++s)
    expected += std::ceil(sources_[s].weight * static_cast<double>(begins_[s + 1] - begins_[s]));
  numbers.reserve(static_cast<size_t>(expected));
  for (size_t s = 0; s < sources_.size(); ++s)
    append_weighted(numbers, begins_[s], begins_[s + 1], sources_[s].weight, random.stream(s));
  return numbers;
}

}  // namespace attune
