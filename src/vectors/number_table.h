// Numbers in a text file: a row a line, with commas, semicolons, tabs or blanks between them. A first line
// without any number is a heading; columns under it whose first field is not a number, such as dates, are
// left out. Where times are wanted, the first column has them: numbers, or dates, which become hours since
// the year 2000.
#pragma once

#include <string>
#include <string_view>

#include "vectors/vectors.h"

namespace attune {

// A row of another length, a field that is not a finite number, and a file without numbers are UsageErrors
// with the line; `name` is the file's.
Vectors read_number_table(std::string_view text, const std::string& name, bool times = false);

}  // namespace attune
