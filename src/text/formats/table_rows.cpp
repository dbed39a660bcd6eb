#include "text/formats/table_rows.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/ascii.h"
#include "text/formats/unit.h"

namespace attune {

TableRows::TableRows(ByteSource& bytes, char separator, bool quotes)
    : bytes_(bytes), separator_(byte_of(separator)), quotes_(quotes), buffer_(1 << 16) {}

int TableRows::peek() {
  if (at_ == end_) {
    at_ = 0;
    end_ = bytes_.read(buffer_);
    if (end_ == 0) return -1;
  }
  return byte_of(buffer_[at_]);
}

int TableRows::take() {
  const int byte = peek();
  if (byte < 0) return byte;
  ++at_;
  if (byte == '\n') ++line_;
  return byte;
}

void TableRows::add(TableRow& row, int byte) {
  if (++row_bytes_ <= kLongestUnit)
    row.fields.back() += static_cast<char>(byte);
  else
    row.fault = fmt::format("the row has more than {} MB; is a quote missing?", kLongestUnit >> 20);
}

// A quote in it is written twice.
void TableRows::read_quoted(TableRow& row) {
  take();
  for (;;) {
    const int byte = take();
    if (byte < 0) {
      row.fault = "a quote is opened and never closed";
      return;
    }
    if (byte == '"') {
      if (peek() != '"') break;
      take();
    }
    add(row, byte);
  }
  const int after = peek();
  if (after >= 0 && after != separator_ && after != '\n' && after != '\r')
    row.fault = "text follows a closing quote";
}

void TableRows::read_plain(TableRow& row) {
  for (int byte = peek(); byte >= 0 && byte != '\n' && byte != separator_; byte = peek()) {
    take();
    if (byte != '\r' || peek() != '\n') add(row, byte);
  }
}

std::optional<TableRow> TableRows::next() {
  while (peek() == '\n' || peek() == '\r') take();
  if (peek() < 0) return std::nullopt;
  TableRow row{line_, {}, {}};
  row_bytes_ = 0;
  do {
    constexpr size_t kOverhead = sizeof(std::string);  // even empty fields take room
    row_bytes_ += kOverhead;
    if (row_bytes_ <= kLongestUnit || row.fields.empty()) row.fields.emplace_back();
    if (quotes_ && peek() == '"') read_quoted(row);
    read_plain(row);
  } while (take() == separator_);
  return row;
}

char separator_of(std::string_view head) {
  constexpr std::string_view kSeparators = ",;\t";
  int64_t counts[kSeparators.size()] = {};
  bool quoted = false;
  for (const char c : head) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    if (const size_t i = kSeparators.find(c); i != std::string_view::npos) ++counts[i];
  }
  return kSeparators[static_cast<size_t>(std::ranges::max_element(counts) - counts)];
}

}  // namespace attune
