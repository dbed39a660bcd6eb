// RowReader: rows of columns, from one tab-separated file or from files whose lines belong together.
#pragma once

#include <string>
#include <vector>

#include "cli/rows/arriving_lines.h"

namespace attune::cli {

using Row = std::vector<std::string>;

// "-" stands for stdin.
struct RowSource {
  std::vector<std::string> files;
  bool tsv = false;
};

class RowReader {
 public:
  // It is a UsageError if a file cannot be opened or if two columns are stdin. `wake`: see ArrivingLines.
  RowReader(RowSource source, int wake);

  // Between one and `most` rows: those that are available without waiting; none at the end. It is a
  // UsageError if the files do not have the same number of lines.
  std::vector<Row> next(size_t most);

 private:
  void add_column(size_t column, std::vector<Row>& rows);
  void check_that_all_ended();

  RowSource source_;
  std::vector<ArrivingLines> readers_;
  int64_t count_ = 0;  // rows returned so far
};

}  // namespace attune::cli
