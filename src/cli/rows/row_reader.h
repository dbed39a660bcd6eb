// RowReader: rows of columns, from one file with tabs between them or from files whose lines belong together.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/line_reader.h"

namespace attune::cli {

using Row = std::vector<std::string>;

// "-" stands for stdin.
struct RowSource {
  std::vector<std::string> files;
  bool tsv = false;
};

class RowReader {
 public:
  // A file that cannot be opened is a UsageError, and so are two columns from stdin. `wake`: see LineReader.
  RowReader(RowSource source, int wake);

  // At least one row and at most so many: those that are there without waiting; none at the end. Files that
  // do not have the same number of lines are a UsageError.
  std::vector<Row> next(size_t most);

 private:
  void add_column(size_t column, std::vector<Row>& rows);
  void check_that_all_ended();

  RowSource source_;
  std::vector<Descriptor> opened_;
  std::vector<LineReader> readers_;
  int64_t count_ = 0;  // rows that were given
};

}  // namespace attune::cli
