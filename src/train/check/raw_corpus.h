// RawCorpus: the files of a corpus as they are. Corpus stops at the first problem; this class describes all
// of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/corpus/checks.h"
#include "text/corpus/corpus.h"
#include "train/check/finding.h"

namespace attune {

// A column: a file, or a part of a table.
struct CheckedColumn {
  std::string path;
  size_t column;
  ColumnReport text;  // lengths in characters
};

class RawCorpus {
 public:
  // Files that cannot be read become findings, and so do tables whose lines differ in their number of
  // columns.
  RawCorpus(const std::vector<CorpusSource>& sources, Findings& findings);

  // Finds columns with different numbers of lines, invalid UTF-8, and empty lines. `parallel`: the columns
  // are translations of each other, so their lengths show where they get out of step.
  std::vector<CheckedColumn> check(bool replace_invalid, bool parallel, Findings& findings) const;

  // 0 if no file can be read. Several sources are one column.
  size_t columns() const { return columns_ == 0 ? 0 : columns_ - joined_ + 1; }
  int64_t lines() const { return begins_.back(); }

  // Lines that all columns of their source have, counted over all sources. Invalid UTF-8 becomes U+FFFD.
  std::vector<std::string> line(int64_t number) const;
  std::string where(int64_t number) const;  // "train.en:17"
  double weight(int64_t number) const;
  TextLines column(size_t column) const;
  TextLines rows() const;  // all columns, separated by tabs

 private:
  struct Source : CorpusFiles {
    explicit Source(const CorpusSource& source) : CorpusFiles(source, InvalidUtf8::keep) {}

    std::string text(int64_t line, size_t column) const;  // empty if a table has no such column
    TextLines lines(size_t column) const;
    std::vector<int32_t> lengths(size_t column) const;
    std::string name(size_t column) const;
  };
  struct Place {
    const Source& source;
    int64_t line;
  };

  static std::optional<Source> open(const CorpusSource& given, Findings& findings);
  size_t table_columns(const LineFile& file, Findings& findings) const;
  void compare_line_counts(const Source& source, bool parallel, Findings& findings) const;
  Place place(int64_t number) const;

  size_t columns_ = 0, joined_ = 1;  // columns of the files; those of several sources
  std::vector<Source> sources_;
  std::vector<int64_t> begins_{0};
};

}  // namespace attune
