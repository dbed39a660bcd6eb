#include "serve/http/form.h"

#include <algorithm>

#include "base/ascii.h"

namespace attune::serve {
namespace {

std::optional<std::string> decoded(std::string_view text, char plus) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i] == '+' ? plus : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return {};
    const int high = hexadecimal_digit(text[i + 1]), low = hexadecimal_digit(text[i + 2]);
    if (high < 0 || low < 0) return {};
    result += static_cast<char>(16 * high + low);
    i += 2;
  }
  return result;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) { return decoded(text, '+'); }

std::optional<FormFields> parse_form(std::string_view text) {
  FormFields fields;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), field.size() + 1));
    if (field.empty()) continue;
    const size_t equals = std::min(field.find('='), field.size());
    auto name = decoded(field.substr(0, equals), ' '),
         value = decoded(field.substr(std::min(equals + 1, field.size())), ' ');
    if (!name || !value) return {};
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

}  // namespace attune::serve
