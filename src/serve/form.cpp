#include "serve/form.h"

#include <algorithm>

namespace attune::serve {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return {};
    const int high = digit(text[i + 1]), low = digit(text[i + 2]);
    if (high < 0 || low < 0) return {};
    result += static_cast<char>(16 * high + low);
    i += 2;
  }
  return result;
}

}  // namespace

std::optional<FormFields> parse_form(std::string_view text) {
  FormFields fields;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), field.size() + 1));
    if (field.empty()) continue;
    const size_t equals = std::min(field.find('='), field.size());
    auto name = decoded(field.substr(0, equals)),
         value = decoded(field.substr(std::min(equals + 1, field.size())));
    if (!name || !value) return {};
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

}  // namespace attune::serve
