// RawCorpus: the files of a corpus as they are. Where Corpus refuses the first thing that is wrong, this one
// describes everything that is.
#pragma once

#include <memory>
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
  // Files that cannot be read are findings, and so are tables without the same columns in every line.
  RawCorpus(const std::vector<CorpusSource>& sources, Findings& findings);

  // Columns that differ in their number of lines, what is not UTF-8, empty lines. `parallel`: the columns are
  // translations of each other, so their lengths tell where they get out of step.
  std::vector<CheckedColumn> check(bool replace_invalid, bool parallel, Findings& findings) const;

  size_t columns() const { return columns_; }  // 0 if there is no file that can be read
  int64_t lines() const { return begins_.back(); }

  // Lines that every column of their source has, counted over all sources. What is not UTF-8 is U+FFFD.
  std::vector<std::string> line(int64_t number) const;
  std::string where(int64_t number) const;  // "train.en:17"
  double weight(int64_t number) const;
  TextLines column(size_t column) const;
  TextLines rows() const;  // all columns, with tabs between them

 private:
  struct Source {
    std::vector<std::unique_ptr<const LineFile>> files;
    bool tsv;
    double weight;

    const LineFile& file(size_t column) const { return *files[tsv ? 0 : column]; }
    std::string text(int64_t line, size_t column) const;  // empty where a table has no such column
    TextLines lines(size_t column) const;
    std::vector<int32_t> lengths(size_t column) const;
    std::string name(size_t column) const;
  };
  struct Place {
    const Source& source;
    int64_t line;
  };

  size_t table_columns(const LineFile& file, Findings& findings) const;
  void compare_line_counts(const Source& source, bool parallel, Findings& findings) const;
  Place place(int64_t number) const;

  size_t columns_ = 0;
  std::vector<Source> sources_;
  std::vector<int64_t> begins_{0};
};

}  // namespace attune
