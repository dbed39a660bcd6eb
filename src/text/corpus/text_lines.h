// Lines of text by number, from a file or a column of a corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "text/corpus/corpus.h"
#include "text/corpus/line_file.h"

namespace attune {

struct TextLines {
  int64_t count;
  std::function<std::string(int64_t)> line;
};

// These refer to their arguments.
inline TextLines lines_of(const LineFile& file) {
  return {file.lines(), [&file](int64_t i) { return file.line(i); }};
}

inline TextLines column_of(const Corpus& corpus, size_t column) {
  return {corpus.lines(), [&corpus, column](int64_t i) { return corpus.column(i, column); }};
}

inline std::vector<TextLines> columns_of(const Corpus& corpus) {
  std::vector<TextLines> columns;
  for (size_t c = 0; c < corpus.columns(); ++c) columns.push_back(column_of(corpus, c));
  return columns;
}

// All columns, separated by tabs.
inline TextLines rows_of(const Corpus& corpus) {
  return {corpus.lines(), [&corpus](int64_t i) {
            std::string row;
            for (const std::string& column : corpus.line(i))
              row.append(row.empty() ? "" : "\t").append(column);
            return row;
          }};
}

}  // namespace attune
