#include "config/entry_fields.h"

#include <charconv>

namespace attune {
namespace {

template <class Number>
bool read(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

void show(Fields& f, const Entry& entry) {
  if (entry.list || entry.values.size() != 1) return f(entry.key, entry.values, "");
  const std::string& text = entry.values[0];
  if (int64_t whole = 0; read(text, whole)) return f(entry.key, whole, "");
  if (double real = 0; read(text, real)) return f(entry.key, real, "");
  if (text == "true" || text == "false") return f(entry.key, text == "true", "");
  f(entry.key, text, "");
}

}  // namespace

FieldList fields_of_entries(const Entries& entries) {
  return [entries](Fields& f) {
    for (const Entry& entry : entries) show(f, entry);
  };
}

}  // namespace attune
