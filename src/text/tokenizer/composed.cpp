#include "text/characters.h"
#include "text/tokenizer/bert_text.h"
#include "text/utf8.h"

namespace attune {

// Piece by piece between boundaries of the normal form, so that most bytes keep their place.
TracedText composed(std::string_view text) {
  if (composed_text(text) == text) return unchanged(text);
  TracedText result;
  const auto add = [&](std::string_view piece, size_t origin) {
    const std::string normal = composed_text(piece);
    if (normal != piece) return result.add(normal, origin);
    for (size_t i = 0; i < piece.size(); ++i) result.add(piece.substr(i, 1), origin + i);
  };
  size_t begin = 0;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const auto at = static_cast<size_t>(c->bytes.data() - text.data());
    if (at == begin || !starts_composed(c->value)) continue;
    add(text.substr(begin, at - begin), begin);
    begin = at;
  }
  if (begin < text.size()) add(text.substr(begin), begin);
  return result;
}

}  // namespace attune
