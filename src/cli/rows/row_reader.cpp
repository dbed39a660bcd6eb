#include "cli/rows/row_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"

namespace attune::cli {
namespace {

std::string shown(const std::string& file) { return file == "-" ? "stdin" : file; }

Row columns_of(const std::string& line) {
  Row row;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    row.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return row;
}

}  // namespace

RowReader::RowReader(RowSource source, int wake) : source_(std::move(source)) {
  if (std::ranges::count(source_.files, "-") > 1)
    throw UsageError("only one of the columns can come from stdin");
  if (source_.tsv && source_.files.size() > 1)
    throw UsageError("with --tsv there is one file for all columns");
  for (const std::string& file : source_.files) readers_.emplace_back(file, wake);
}

std::vector<Row> RowReader::next(size_t most) {
  std::vector<Row> rows;
  for (std::string& line : readers_[0].next(most)) {
    if (source_.tsv)
      rows.push_back(columns_of(line));
    else
      rows.push_back({std::move(line)});
  }
  if (rows.empty()) check_that_all_ended();
  for (size_t c = 1; c < readers_.size(); ++c) add_column(c, rows);
  count_ += static_cast<int64_t>(rows.size());
  return rows;
}

void RowReader::add_column(size_t column, std::vector<Row>& rows) {
  for (size_t done = 0; done < rows.size();) {
    std::vector<std::string> lines = readers_[column].next(rows.size() - done);
    if (lines.empty())
      throw UsageError(fmt::format("{} ends after line {}, but {} continues", shown(source_.files[column]),
                                   count_ + static_cast<int64_t>(done), shown(source_.files[0])));
    for (std::string& line : lines) rows[done++].push_back(std::move(line));
  }
}

void RowReader::check_that_all_ended() {
  for (size_t c = 1; c < readers_.size(); ++c)
    if (!readers_[c].next(1).empty())
      throw UsageError(fmt::format("{} ends after line {}, but {} continues", shown(source_.files[0]), count_,
                                   shown(source_.files[c])));
}

}  // namespace attune::cli
