#include "compare/text_units.h"

#include "attune/error.h"
#include "metrics/tokenize/unicode.h"
#include "text/utf8.h"

namespace attune::compare {
namespace {

// A vocabulary of characters: words are runs of tokens that are not spaces.
void number_words(std::string_view text, TextUnitTokens& tokens) {
  bool inside = false;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const bool blank = is_white_space(c->value);
    if (!blank && !inside) ++tokens.count;
    tokens.units.push_back(blank ? -1 : tokens.count - 1);
    inside = !blank;
  }
}

}  // namespace

int64_t count_units(std::string_view text, TextUnit unit) {
  return static_cast<int64_t>(unit == TextUnit::word ? metrics::split(text).size() : count_code_points(text));
}

TextUnitTokens unit_tokens(const Vocabulary& vocabulary, std::string_view text, TextUnit unit) {
  TextUnitTokens tokens;
  if (vocabulary.kind() == VocabularyKind::character) {
    tokens.ids = vocabulary.encode(text);
    if (unit == TextUnit::word) {
      number_words(text, tokens);
    } else {
      tokens.count = static_cast<int64_t>(count_code_points(text));
      for (int64_t i = 0; i < tokens.count; ++i) tokens.units.push_back(i);
    }
    if (tokens.units.size() != tokens.ids.size())
      throw UsageError("alignments: the vocabulary has symbols of several characters (vocab_symbols)");
    return tokens;
  }
  if (vocabulary.kind() == VocabularyKind::byte)
    throw UsageError("alignments: models with vocab_kind: byte have none of words or characters");
  if (unit == TextUnit::character)
    throw UsageError("alignments: unit: character needs models with vocab_kind: char");
  for (const std::string_view word : metrics::split(text)) {  // no token crosses a space
    for (const int32_t id : vocabulary.encode(word)) {
      tokens.ids.push_back(id);
      tokens.units.push_back(tokens.count);
    }
    ++tokens.count;
  }
  return tokens;
}

}  // namespace attune::compare
