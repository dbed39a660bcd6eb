// char: every character is a token.
#include "metrics/tokenize/tokenize.h"
#include "metrics/tokenize/unicode.h"
#include "text/utf8.h"

namespace attune::metrics {
namespace {

std::string tokenize_char(std::string_view line) {
  std::string tokens;
  for (const char32_t c : decode(line)) {
    append_utf8(tokens, c);
    tokens += ' ';
  }
  return tokens;
}

const RegisterTokenizer registered("char", tokenize_char);

}  // namespace
}  // namespace attune::metrics
