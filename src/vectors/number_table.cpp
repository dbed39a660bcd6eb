#include "vectors/number_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "attune/error.h"

namespace attune {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// What stands between the fields of a line: the first of these that it has.
char separator(std::string_view line) {
  for (const char c : {',', ';', '\t'})
    if (line.find(c) != std::string_view::npos) return c;
  return ' ';
}

std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> all;
  const char between = separator(line);
  while (true) {
    const size_t end = line.find(between);
    const std::string_view field = trimmed(line.substr(0, end));
    if (between != ' ' || !field.empty()) all.push_back(field);
    if (end == std::string_view::npos) return all;
    line.remove_prefix(end + 1);
  }
}

std::optional<float> number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  float value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

// "2016-07-01", "2016-07-01 12:30", "2016-07-01T12:30:15": hours since the year 2000.
std::optional<float> hours(std::string_view field) {
  const auto digits = [&](size_t at, size_t count, char before) -> std::optional<unsigned> {
    if (at > 0 && (field.size() <= at || field[at - 1] != before)) return std::nullopt;
    unsigned value = 0;
    const char* const last = field.data() + std::min(field.size(), at + count);
    const auto [end, error] = std::from_chars(field.data() + at, last, value);
    if (error != std::errc() || end != last) return std::nullopt;
    return value;
  };
  using namespace std::chrono;
  const auto y = digits(0, 4, '-'), m = digits(5, 2, '-'), d = digits(8, 2, '-');
  if (!y || !m || !d) return std::nullopt;
  const year_month_day date{year(static_cast<int>(*y)), month(*m), day(*d)};
  if (!date.ok()) return std::nullopt;
  double time = 24.0 * (sys_days(date) - sys_days(2000y / January / 1)).count();
  if (field.size() > 10) {
    const auto hour = digits(11, 2, field[10]), minute = digits(14, 2, ':');
    if ((field[10] != ' ' && field[10] != 'T') || !hour || !minute) return std::nullopt;
    time += *hour + *minute / 60.0;
    if (field.size() > 16) {
      const auto second = digits(17, 2, ':');
      if (!second || field.size() > 19) return std::nullopt;
      time += *second / 3600.0;
    }
  }
  return static_cast<float>(time);
}

bool is_heading(const std::vector<std::string_view>& row) {
  for (const std::string_view field : row)
    if (number(field)) return false;
  return true;
}

// All; under a heading, those that begin with a number: dates and names are left out.
std::vector<bool> columns_of_numbers(const std::vector<std::string_view>& row, bool has_heading, bool times) {
  std::vector<bool> counts;
  for (const std::string_view field : row) counts.push_back(!has_heading || number(field));
  if (times && !counts.empty()) counts[0] = true;
  return counts;
}

}  // namespace

void read_number_rows(std::string_view text, int64_t line, TableFormat& format, Vectors& to) {
  if (line == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    const std::string_view row = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (row.empty()) continue;
    const auto refuse = [&](const std::string& what) {
      throw UsageError(fmt::format("{}:{}: {}", format.name, line, what));
    };
    const auto columns = fields(row);
    if (line == 1 && is_heading(columns)) {
      format.heading = true;
      continue;
    }
    if (format.counts.empty()) format.counts = columns_of_numbers(columns, format.heading, format.times);
    if (columns.size() != format.counts.size())
      refuse(fmt::format("there are {} columns, but {} in the rows before", columns.size(),
                         format.counts.size()));
    to.width = std::ranges::count(format.counts, true);
    for (size_t c = 0; c < columns.size(); ++c) {
      if (!format.counts[c]) continue;
      const std::string_view field = columns[c];
      auto value = number(field);
      if (!value && format.times && c == 0) {
        value = hours(field);
        if (!value)
          refuse(fmt::format("'{}' is not a time; write a number, or a date such as 2016-07-01 12:00",
                             field.substr(0, 40)));
      }
      if (!value)
        refuse(fmt::format("'{}' is not a number; leave out columns of text and dates", field.substr(0, 40)));
      else if (!std::isfinite(*value))
        refuse(fmt::format("'{}' is not a finite number; fill the gap or leave the row out", field));
      else
        to.numbers.push_back(*value);
    }
    ++to.rows;
  }
}

Vectors read_number_table(std::string_view text, const std::string& name, bool times) {
  Vectors table;
  TableFormat format{name, times};
  read_number_rows(text, 1, format, table);
  if (table.numbers.empty()) throw UsageError(fmt::format("{}: there are no numbers in it", name));
  return table;
}

}  // namespace attune
