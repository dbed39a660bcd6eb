// Numbers in a text file: a row a line, with commas, semicolons, tabs or blanks between them. A first line
// without any number is a heading; columns under it whose first field is not a number, such as dates, are
// left out. Where times are wanted, the first column has them: numbers, or dates, which become hours since
// the year 2000.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vectors/vectors.h"

namespace attune {

// What the first lines of a table say about all that follow.
struct TableFormat {
  std::string name;  // of the file, for messages
  bool times = false;
  bool heading = false;
  std::vector<bool> counts = {};  // which columns are read; empty before the first row
};

// Appends the rows of some lines of a table, of which the first has the number `line`. A row of another
// length and a field that is not a finite number are UsageErrors with the line.
void read_number_rows(std::string_view text, int64_t line, TableFormat& format, Vectors& to);

// A whole table; one without numbers is a UsageError, too.
Vectors read_number_table(std::string_view text, const std::string& name, bool times = false);

}  // namespace attune
