// Tables: CSV (also with semicolons) and tab-separated values without quotes. The first row has the names of
// the columns, unless they are wanted by number.
#include <fmt/core.h>

#include "text/formats/corpus_format.h"
#include "text/formats/table_rows.h"

namespace attune {
namespace {

void read_table(const UnitInput& input, TableRows rows, const TakeUnit& take) {
  const bool header = !by_number(input.wanted);
  std::vector<std::string> names;
  bool first = true;
  while (auto row = rows.next()) {
    if (first)
      for (size_t i = 0; i < row->fields.size(); ++i)
        names.push_back(header ? on_one_line(row->fields[i]) : std::to_string(i + 1));
    const bool is_header = first && header;
    first = false;
    Unit unit{.line = row->line};
    if (row->fault.empty() && row->fields.size() != names.size())
      row->fault =
          fmt::format("the first row has {} fields, but this one has {}", names.size(), row->fields.size());
    if (!row->fault.empty()) {
      unit.state = UnitState::bad;
      unit.reason = row->fault;
    } else if (is_header) {
      continue;
    } else {
      for (size_t i = 0; i < names.size(); ++i) unit.fields.push_back({names[i], std::move(row->fields[i])});
    }
    take(std::move(unit));
  }
}

void read_csv(const UnitInput& input, const TakeUnit& take) {
  const char separator = separator_of(input.text.peek(kFormatHead));
  read_table(input, TableRows(input.text, separator, true), take);
}

void read_tsv(const UnitInput& input, const TakeUnit& take) {
  read_table(input, TableRows(input.text, '\t', false), take);
}

const RegisterFormat csv{{.name = "CSV",
                          .extensions = {".csv"},
                          .names = FieldNames::columns,
                          .begins = nullptr,
                          .read = read_csv}};
const RegisterFormat tsv{{.name = "TSV",
                          .extensions = {".tsv", ".tab"},
                          .names = FieldNames::columns,
                          .begins = nullptr,
                          .read = read_tsv}};

}  // namespace
}  // namespace attune
