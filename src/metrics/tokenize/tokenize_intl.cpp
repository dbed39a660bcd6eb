// intl: the international tokenisation of mteval-v14.pl, by Unicode's classes. Every symbol is a token, and
// so is punctuation except between digits. A full stop after a number at the end of a line stays with it, as
// in mteval-v14.pl.
#include "metrics/tokenize/spacing.h"
#include "metrics/tokenize/tokenize.h"
#include "metrics/tokenize/unicode.h"
#include "text/utf8.h"

namespace attune::metrics {
namespace {

bool is_no_number(char32_t c) { return !is_number(c); }

std::string tokenize_intl(std::string_view line) {
  std::u32string text = decode(line);
  text = space_pairs(text, is_no_number, is_punctuation, Apart::second);
  text = space_pairs(text, is_punctuation, is_no_number, Apart::first);
  text = space_characters(text, is_symbol);
  std::string tokens;
  for (const char32_t c : text) append_utf8(tokens, c);
  return tokens;
}

const RegisterTokenizer registered("intl", tokenize_intl);

}  // namespace
}  // namespace attune::metrics
