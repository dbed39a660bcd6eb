#include "text/tokenizer/bert_text.h"

#include "text/characters.h"
#include "text/utf8.h"

namespace attune {
namespace {

// Of the control characters, only three are white space.
bool is_dropped(char32_t c) {
  return c == 0xFFFD || (c != '\t' && c != '\n' && c != '\r' && is_in(c, kOthers));
}

// The blocks of CJK ideographs that BERT names.
bool is_chinese(char32_t c) {
  static constexpr struct {
    char32_t first, last;
  } kBlocks[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                 {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& block : kBlocks)
    if (c >= block.first && c <= block.last) return true;
  return false;
}

bool is_mark(char32_t c) {
  return (c < 0x80 && c > ' ' && c != 0x7F && !is_in(c, kLetters | kDigits)) || is_in(c, kPunctuation);
}

void append(TracedText& to, char32_t c, size_t origin) {
  std::string bytes;
  append_utf8(bytes, c);
  to.add(bytes, origin);
}

// The small letter of one character, whatever stands beside it; only I with a dot becomes two.
void append_small(TracedText& to, char32_t c, size_t origin) {
  if (c == 0x130) return to.add("i\xCC\x87", origin);
  append(to, small_letter(c), origin);
}

}  // namespace

TracedText bert_normalized(std::string_view text, const BertRules& rules) {
  TracedText result;
  const auto add_letter = [&](char32_t c, size_t origin) {
    rules.lowercase ? append_small(result, c, origin) : append(result, c, origin);
  };
  const auto add_plain = [&](char32_t c, size_t origin) {  // without accents
    if (!rules.strip_accents) return add_letter(c, origin);
    for (const char32_t part : decomposed(c))
      if (!is_in(part, kAccents)) add_letter(part, origin);
  };
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const auto origin = static_cast<size_t>(c->bytes.data() - text.data());
    if (rules.clean && is_dropped(c->value)) continue;
    const bool alone = rules.chinese && is_chinese(c->value);
    if (alone) result.add(" ", origin);
    if (rules.clean && is_white_space(c->value))
      result.add(" ", origin);
    else
      add_plain(c->value, origin);
    if (alone) result.add(" ", origin);
  }
  return result;
}

TracedText unchanged(std::string_view text) {
  TracedText result{std::string(text), {}};
  for (size_t i = 0; i < text.size(); ++i) result.origins.push_back(i);
  return result;
}

std::vector<std::string_view> bert_words(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  const auto end_at = [&](size_t end) {
    if (begin < end) words.push_back(text.substr(begin, end - begin));
  };
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const bool mark = is_mark(c->value);
    if (!mark && !is_white_space(c->value)) continue;
    const auto at = static_cast<size_t>(c->bytes.data() - text.data());
    end_at(at);
    begin = at + c->bytes.size();
    if (mark) words.push_back(c->bytes);
  }
  end_at(text.size());
  return words;
}

}  // namespace attune
