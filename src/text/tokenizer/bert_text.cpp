#include "text/tokenizer/bert_text.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "base/check.h"
#include "text/utf8.h"

namespace attune {
namespace {

const icu::Normalizer2& normalizer(const icu::Normalizer2* (*instance)(UErrorCode&)) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* found = instance(status);
  check(U_SUCCESS(status) != 0, "ICU has no normaliser: {}", u_errorName(status));
  return *found;
}

bool in(char32_t c, uint32_t classes) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & classes) != 0; }

// Of the control characters, only three are white space.
bool is_dropped(char32_t c) {
  return c == 0xFFFD || (c != '\t' && c != '\n' && c != '\r' && in(c, U_GC_C_MASK));
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
  return (c < 0x80 && c > ' ' && c != 0x7F && u_isalnum(static_cast<UChar32>(c)) == 0) || in(c, U_GC_P_MASK);
}

void append(TracedText& to, char32_t c, size_t origin) {
  char bytes[U8_MAX_LENGTH];
  size_t n = 0;
  U8_APPEND_UNSAFE(bytes, n, c);
  to.add({bytes, n}, origin);
}

// The small letter of one character, whatever stands beside it; only I with a dot becomes two.
void append_small(TracedText& to, char32_t c, size_t origin) {
  if (c == 0x130) return to.add("i\xCC\x87", origin);
  append(to, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))), origin);
}

}  // namespace

TracedText bert_normalized(std::string_view text, const BertRules& rules) {
  static const icu::Normalizer2& nfd = normalizer(icu::Normalizer2::getNFDInstance);
  TracedText result;
  icu::UnicodeString parts;
  const auto add_letter = [&](char32_t c, size_t origin) {
    rules.lowercase ? append_small(result, c, origin) : append(result, c, origin);
  };
  const auto add_plain = [&](char32_t c, size_t origin) {  // without accents
    if (!rules.strip_accents) return add_letter(c, origin);
    if (!nfd.getDecomposition(static_cast<UChar32>(c), parts)) parts = static_cast<UChar32>(c);
    for (int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1)) {
      const auto part = static_cast<char32_t>(parts.char32At(i));
      if (!in(part, U_GC_MN_MASK)) add_letter(part, origin);
    }
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

// Piece by piece between boundaries of the normal form, so that most bytes keep their place.
TracedText composed(std::string_view text) {
  static const icu::Normalizer2& nfc = normalizer(icu::Normalizer2::getNFCInstance);
  const auto checked = [](UErrorCode status) {
    check(U_SUCCESS(status) != 0, "ICU cannot normalise a text: {}", u_errorName(status));
  };
  const auto utf16 = [](std::string_view piece) {
    return icu::UnicodeString::fromUTF8({piece.data(), static_cast<int32_t>(piece.size())});
  };
  UErrorCode first = U_ZERO_ERROR;
  if (nfc.quickCheck(utf16(text), first) == UNORM_YES) return unchanged(text);
  checked(first);
  TracedText result;
  const auto add = [&](std::string_view piece, size_t origin) {
    UErrorCode status = U_ZERO_ERROR;
    std::string normal;
    nfc.normalize(utf16(piece), status).toUTF8String(normal);
    checked(status);
    if (normal != piece) return result.add(normal, origin);
    for (size_t i = 0; i < piece.size(); ++i) result.add(piece.substr(i, 1), origin + i);
  };
  size_t begin = 0;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const auto at = static_cast<size_t>(c->bytes.data() - text.data());
    if (at == begin || nfc.hasBoundaryBefore(static_cast<UChar32>(c->value)) == 0) continue;
    add(text.substr(begin, at - begin), begin);
    begin = at;
  }
  if (begin < text.size()) add(text.substr(begin), begin);
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
