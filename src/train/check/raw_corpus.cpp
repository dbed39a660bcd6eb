#include "train/check/raw_corpus.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attune/error.h"
#include "base/readable.h"
#include "text/utf8.h"

namespace attune {
namespace {

size_t count_columns(std::string_view line) {
  return static_cast<size_t>(std::ranges::count(line, '\t')) + 1;
}

std::string numbers(const std::vector<int64_t>& lines, int64_t all) {
  std::vector<std::string> shown;
  for (const int64_t line : lines) shown.push_back(grouped(line + 1));
  return fmt::format("{} {}{}", all == 1 ? "line" : "lines", fmt::join(shown, ", "),
                     all > static_cast<int64_t>(lines.size()) ? ", ..." : "");
}

// With a positive offset, lines of the second have no partner in the first.
std::string described(const Shift& shift, const std::string& first, const std::string& second) {
  const int lines = std::abs(shift.offset);
  return fmt::format("judging by the lengths of lines, from about line {} on, {} lacks {} {} that {} has",
                     grouped(shift.line + 1), shift.offset > 0 ? first : second, lines,
                     lines == 1 ? "line" : "lines", shift.offset > 0 ? second : first);
}

}  // namespace

RawCorpus::RawCorpus(const std::vector<CorpusSource>& sources, Findings& findings)
    : joined_(sources.empty() ? 1 : sources[0].joined) {
  for (const CorpusSource& given : sources) {
    auto opened = open(given, findings);
    if (!opened) continue;
    Source& source = *opened;
    const size_t columns = source.tsv ? table_columns(*source.files[0], findings) : source.files.size();
    if (columns < joined_) {
      findings.push_back({Severity::error, "columns", given.files[0],
                          fmt::format("it has {} columns, but {} sources are to be read", columns, joined_)});
      continue;
    }
    if (columns_ == 0) columns_ = columns;
    if (columns != columns_) {
      findings.push_back(
          {Severity::error, "columns", given.files[0],
           fmt::format("it has {} columns, but {} has {}", columns, sources_[0].files[0]->path(), columns_)});
      continue;
    }
    int64_t lines = source.files[0]->lines();
    for (const auto& file : source.files) lines = std::min(lines, file->lines());
    begins_.push_back(begins_.back() + lines);
    sources_.push_back(std::move(source));
  }
}

std::optional<RawCorpus::Source> RawCorpus::open(const CorpusSource& given, Findings& findings) {
  const auto add = [&](const std::string& path, const std::string& text) {  // which begins with the path
    findings.push_back({Severity::error, "unreadable_file", path,
                        text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text});
  };
  try {
    Source source(given);
    if (source.left_out.count() > 0)
      findings.push_back({Severity::warning, "left_out", given.files[0], source.left_out.text()});
    return source;
  } catch (const UsageError& error) {
    bool found = false;
    for (const std::string& path : given.files) try {
        const LineFile file(path);
      } catch (const UsageError& reason) {
        add(path, reason.what());
        found = true;
      }
    if (!found) add(given.files[0], error.what());
  }
  return std::nullopt;
}

// As many as the first line has.
size_t RawCorpus::table_columns(const LineFile& file, Findings& findings) const {
  if (file.lines() == 0) return columns_;
  const size_t columns = count_columns(file.line(0));
  std::vector<int64_t> first;
  int64_t others = 0;
  for (int64_t i = 0; i < file.lines(); ++i)
    if (count_columns(file.line(i)) != columns && ++others <= static_cast<int64_t>(kShownPlaces))
      first.push_back(i);
  if (others > 0)
    findings.push_back(
        {Severity::error, "columns", fmt::format("{}:{}", file.path(), first[0] + 1),
         fmt::format("the first line has {} columns, but {} of {} lines have a different number: {}", columns,
                     grouped(others), grouped(file.lines()), numbers(first, others))});
  return columns;
}

std::string RawCorpus::Source::text(int64_t line, size_t column) const {
  if (!tsv) return files[column]->line(line);
  const std::string row = files[0]->line(line);
  size_t begin = 0;
  for (; column > 0; --column) {
    const size_t tab = row.find('\t', begin);
    if (tab == std::string::npos) return {};
    begin = tab + 1;
  }
  return row.substr(begin, std::min(row.find('\t', begin), row.size()) - begin);
}

TextLines RawCorpus::Source::lines(size_t column) const {
  return {file(column).lines(), [this, column](int64_t i) { return text(i, column); }};
}

std::vector<int32_t> RawCorpus::Source::lengths(size_t column) const {
  return line_lengths(
      {file(column).lines(), [this, column](int64_t i) { return replace_invalid_utf8(text(i, column)); }});
}

std::string RawCorpus::Source::name(size_t column) const {
  const bool one = tsv || (files.size() > 1 && files[0]->path() == files[1]->path());
  return one ? fmt::format("{} (column {})", files[0]->path(), column + 1) : files[column]->path();
}

std::vector<CheckedColumn> RawCorpus::check(bool replace_invalid, bool parallel, Findings& findings) const {
  const LengthOf characters = [](const std::string& line) {
    return static_cast<int64_t>(count_code_points(line));
  };
  std::vector<CheckedColumn> checked;
  for (const Source& source : sources_) {
    for (size_t c = 0; c < columns_; ++c) {
      const ColumnReport report = check_column(source.lines(c), characters, 0);
      const std::string name = source.name(c), path = source.file(c).path();
      for (const auto& [line, byte] : report.first_invalid)
        findings.push_back({replace_invalid ? Severity::warning : Severity::error, "invalid_utf8",
                            source.where(line, c),
                            fmt::format("byte {}{} is not UTF-8{}", byte + 1,
                                        source.tsv ? fmt::format(" of column {}", c + 1) : "",
                                        replace_invalid ? " and becomes U+FFFD" : "")});
      const auto shown = static_cast<int64_t>(report.first_invalid.size());
      if (report.invalid > shown)
        findings.push_back({replace_invalid ? Severity::warning : Severity::error, "invalid_utf8", name,
                            fmt::format("{} more lines are not UTF-8", grouped(report.invalid - shown))});
      if (report.lines == 0) findings.push_back({Severity::warning, "empty_file", name, "the file is empty"});
      if (report.empty > 0)
        findings.push_back(
            {Severity::warning, "empty_lines", name,
             fmt::format("{} of {} lines are empty and will be left out: {}", grouped(report.empty),
                         grouped(report.lines), numbers(report.first_empty, report.empty))});
      checked.push_back({path, c, report});
    }
    if (columns_ > 1) compare_line_counts(source, parallel, findings);
  }
  return checked;
}

void RawCorpus::compare_line_counts(const Source& source, bool parallel, Findings& findings) const {
  const std::vector<int32_t> first = source.lengths(0);
  for (size_t c = 1; c < columns_; ++c) {
    const int64_t lines = source.file(0).lines(), others = source.file(c).lines();
    if (lines == others && !parallel) continue;
    const auto shift = find_shift(first, source.lengths(c));
    const std::string a = source.name(0), b = source.name(c);
    if (lines != others)
      findings.push_back(
          {Severity::error, "line_counts", b,
           fmt::format(
               "it has {} lines, but {} has {}; {}", grouped(others), a, grouped(lines),
               shift ? described(*shift, a, b) : "the lengths of the lines do not show where they diverge")});
    else if (shift)
      findings.push_back({Severity::warning, "shift", source.where(shift->line, c),
                          described(*shift, a, b) + "; check the text there (in dialogues this is normal)"});
  }
}

RawCorpus::Place RawCorpus::place(int64_t number) const {
  const auto source = static_cast<size_t>(std::ranges::upper_bound(begins_, number) - begins_.begin() - 1);
  return {sources_[source], number - begins_[source]};
}

std::vector<std::string> RawCorpus::line(int64_t number) const {
  const Place at = place(number);
  std::vector<std::string> columns;
  for (size_t c = 0; c < columns_; ++c) {
    std::string text = replace_invalid_utf8(at.source.text(at.line, c));
    if (c > 0 && c < joined_)
      columns[0] += '\t' + text;
    else
      columns.push_back(std::move(text));
  }
  return columns;
}

std::string RawCorpus::where(int64_t number) const {
  const Place at = place(number);
  return at.source.where(at.line, 0);
}

double RawCorpus::weight(int64_t number) const { return place(number).source.weight; }

TextLines RawCorpus::column(size_t column) const {
  return {lines(), [this, column](int64_t i) {
            if (column == 0 && joined_ > 1) return line(i)[0];
            const Place at = place(i);
            return replace_invalid_utf8(at.source.text(at.line, column == 0 ? 0 : column + joined_ - 1));
          }};
}

TextLines RawCorpus::rows() const {
  return {lines(), [this](int64_t i) { return fmt::format("{}", fmt::join(line(i), "\t")); }};
}

}  // namespace attune
