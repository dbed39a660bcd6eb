// TableRows: the rows of a table, whose fields are separated by one character and may be in quotes (RFC
// 4180).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/bytes/byte_source.h"

namespace attune {

struct TableRow {
  int64_t line = 0;  // on which it begins, from 1
  std::vector<std::string> fields;
  std::string fault;  // empty if there is none
};

class TableRows {
 public:
  // It refers to the bytes.
  TableRows(ByteSource& bytes, char separator, bool quotes);

  std::optional<TableRow> next();  // nothing at the end; empty lines are no rows

 private:
  int peek();  // a byte; -1 at the end
  int take();
  void read_quoted(TableRow& row);
  void read_plain(TableRow& row);
  void add(TableRow& row, int byte);

  ByteSource& bytes_;
  int separator_;
  bool quotes_;
  std::vector<char> buffer_;
  size_t at_ = 0, end_ = 0;
  int64_t line_ = 1;
  size_t row_bytes_ = 0;
};

// What separates the fields of the first row: comma, semicolon or tab, whichever comes most often outside of
// quotes.
char separator_of(std::string_view head);

}  // namespace attune
