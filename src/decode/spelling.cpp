#include "decode/spelling.h"

#include "text/utf8.h"

namespace attune {
namespace {

constexpr std::string_view kBlank = "▁";
constexpr size_t kMostRespelled = 8;  // tokens; scripts without blanks have no words to begin with

bool ends_blank(const std::string& text) {
  char32_t last = 0;
  for (Utf8Reader reader(text); const auto c = reader.next();) last = c->value;
  return is_white_space(last);
}

}  // namespace

PieceTexts::PieceTexts(const Vocabulary& vocabulary) : texts_(static_cast<size_t>(vocabulary.size())) {
  if (vocabulary.kind() != VocabularyKind::unigram && vocabulary.kind() != VocabularyKind::bpe) return;
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    if (id != vocabulary.unk() && id != vocabulary.bos() && id != vocabulary.eos() && !vocabulary.is_byte(id))
      texts_[static_cast<size_t>(id)] = vocabulary.piece(id);
}

Spelling::Spelling(const PieceTexts& pieces, int64_t forced, std::string text)
    : pieces_(pieces), forced_(forced), text_(std::move(text)), possible_(text_.size() + 1) {
  possible_[text_.size()] = true;
  for (size_t at = text_.size(); at-- > 0;)
    for (int32_t id = 0; id < pieces_.count() && !possible_[at]; ++id) possible_[at] = allows(at, id);
}

size_t Spelling::spelled(std::span<const int32_t> words) const {
  size_t length = 0;
  for (const int32_t word : words.subspan(static_cast<size_t>(forced_))) length += pieces_[word].size();
  return length;
}

bool Spelling::allows(size_t spelled, int32_t word) const {
  const std::string_view rest = std::string_view(text_).substr(spelled), piece = pieces_[word];
  if (piece.size() >= rest.size()) return piece.starts_with(rest);
  return !piece.empty() && rest.starts_with(piece) && possible_[spelled + piece.size()];
}

std::optional<size_t> length_of_beginning(const std::string& output, const std::string& beginning,
                                          const Vocabulary& vocabulary) {
  const std::string spelled = vocabulary.decode(vocabulary.encode(beginning));
  if (!output.starts_with(spelled)) return {};
  const bool blank = ends_blank(beginning) && !ends_blank(spelled) && output.size() > spelled.size() &&
                     output[spelled.size()] == ' ';
  return spelled.size() + (blank ? 1 : 0);
}

Beginning beginning_with(const std::string& text, const Vocabulary& vocabulary, const PieceTexts& pieces) {
  Beginning result{vocabulary.encode(text), ""};
  auto& tokens = result.tokens;
  if (vocabulary.kind() != VocabularyKind::unigram && vocabulary.kind() != VocabularyKind::bpe) return result;
  if (ends_blank(text)) result.spelled = kBlank;
  for (size_t count = 0; count < kMostRespelled && !tokens.empty(); ++count) {
    const std::string& piece = pieces[tokens.back()];
    if (piece.empty()) break;
    result.spelled.insert(0, piece);
    tokens.pop_back();
    if (piece.starts_with(kBlank)) break;
  }
  return result;
}

}  // namespace attune
