#include "text/sentencepiece/vocabulary.h"

#include <fmt/core.h>

#include <mutex>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "text/sentencepiece/model.h"
#include "text/sentencepiece/normalizer.h"
#include "text/sentencepiece/segmenter.h"
#include "text/sentencepiece/subword_sampling.h"
#include "text/utf8.h"

namespace attune {
namespace {

class SentencePieceVocabulary final : public Vocabulary {
 public:
  SentencePieceVocabulary(std::string content, const std::string& name)
      : content_(std::move(content)), model_(read_sentencepiece_model(content_, name)) {
    if (!control(model_.eos))
      throw UsageError(fmt::format("{}: the model has no symbol </s>, which must end every sentence", name));
  }

  VocabularyKind kind() const override { return model_.kind; }
  bool is_listed() const override { return false; }
  int32_t size() const override { return static_cast<int32_t>(model_.pieces.size()); }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    tokens(text, [&](const Token& token) { ids.push_back(token.id); });
    return ids;
  }

  // Only ordinary pieces are split in another way; symbols and bytes between them stay.
  std::vector<int32_t> sample(std::string_view text, double rate, const Random& random) const override {
    std::call_once(listed_, [this] { list_pieces(); });
    std::vector<int32_t> ids, part;
    uint64_t parts = 0;
    const auto end_part = [&] {
      const auto other = resampled(part, rate, random.stream(parts++));
      ids.insert(ids.end(), other.begin(), other.end());
      part.clear();
    };
    for (const int32_t id : encode(text)) {
      if (at(id).type == PieceType::normal) {
        part.push_back(id);
        continue;
      }
      end_part();
      ids.push_back(id);
    }
    end_part();
    return ids;
  }

  std::vector<size_t> begins(std::string_view text) const override {
    std::vector<size_t> all;
    tokens(text, [&](const Token& token) { all.push_back(token.begin); });
    return all;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<std::string> all;
    for (const int32_t id : ids) all.push_back(piece(id));
    return join(all);
  }

  std::string piece(int32_t id) const override {
    attune::check(id >= 0 && id < size(), "vocabulary: token {} does not exist, only 0 to {}", id,
                  size() - 1);
    return at(id).text;
  }

  std::optional<int32_t> id(std::string_view piece) const override {
    const int32_t found = segmenter_.id(piece);
    return at(found).text == piece ? std::optional(found) : std::nullopt;
  }

  int32_t unk() const override { return segmenter_.unk(); }
  int32_t bos() const override { return control(model_.bos).value_or(eos()); }
  int32_t eos() const override { return *control(model_.eos); }
  std::optional<uint8_t> byte(int32_t id) const override {
    if (at(id).type != PieceType::byte) return {};
    return byte_of_piece(at(id).text);
  }
  std::string serialized() const override { return content_; }

  std::vector<std::string> pieces(std::string_view text) const override {
    std::vector<std::string> shown;
    tokens(text, [&](const Token& token) { shown.push_back(token.text); });
    return shown;
  }

  std::string join(const std::vector<std::string>& pieces) const override {
    std::string text, bytes;
    bool first = model_.before.blank_first || model_.before.single_blanks;  // a space here is not the text's
    for (const std::string& piece : pieces) {
      const int32_t id = segmenter_.id(piece);
      if (at(id).type == PieceType::byte) {
        bytes += static_cast<char>(byte_of_piece(piece));
        continue;
      }
      text += valid_text(std::exchange(bytes, {}));
      first = first && text.empty();
      std::string_view rest = piece;
      if (first && id != unk() && at(id).type != PieceType::control && rest.starts_with(kEscapedBlank)) {
        rest.remove_prefix(kEscapedBlank.size());
        first = model_.before.single_blanks;
      }
      text += joined(rest, id);
    }
    text += valid_text(bytes);
    return model_.after.characters.empty() ? text : after_.normalize(text).text;
  }

 private:
  struct Token {
    std::string text;
    int32_t id;
    size_t begin;
  };

  // Neighbouring unknown segments are one token. A character without a piece is split into its bytes if the
  // model says so.
  template <class Use>
  void tokens(std::string_view text, Use use) const {
    const NormalizedText normalized = before_.normalize(text);
    std::optional<Token> unknown;
    const auto end_unknown = [&] {
      if (unknown) use(*std::exchange(unknown, std::nullopt));
    };
    size_t at = 0;
    for (const auto& [segment, id] : segmenter_.split(normalized.text)) {
      const size_t begin = normalized.places[at];
      at += segment.size();
      if (id != unk()) {
        end_unknown();
        use(Token{std::string(segment), id, begin});
      } else if (model_.byte_fallback) {
        for (const char c : segment) {
          const std::string piece = fmt::format("<0x{:02X}>", byte_of(c));
          use(Token{piece, segmenter_.id(piece), begin});
        }
      } else if (unknown) {
        unknown->text += segment;
      } else {
        unknown = {std::string(segment), id, begin};
      }
    }
    end_unknown();
  }

  // One piece that is not a byte, as text.
  std::string joined(std::string_view piece, int32_t id) const {
    if (at(id).type == PieceType::control) return {};
    if (id == unk()) return piece == at(id).text ? model_.unknown_text : std::string(piece);
    std::string text;
    for (size_t found; (found = piece.find(kEscapedBlank)) != std::string_view::npos;) {
      text.append(piece.substr(0, found)).append(" ");
      piece.remove_prefix(found + kEscapedBlank.size());
    }
    return text.append(piece);
  }

  // Each byte that is not part of a character becomes U+FFFD.
  static std::string valid_text(std::string_view bytes) {
    std::string text;
    while (const auto bad = find_invalid_utf8(bytes)) {
      text.append(bytes.substr(0, *bad)).append("\uFFFD");
      bytes.remove_prefix(*bad + 1);
    }
    return text.append(bytes);
  }

  static uint8_t byte_of_piece(std::string_view piece) {  // "<0xE4>"
    return static_cast<uint8_t>(hexadecimal_digit(piece[3]) * 16 + hexadecimal_digit(piece[4]));
  }

  const SentencePiece& at(int32_t id) const { return model_.pieces[static_cast<size_t>(id)]; }

  std::optional<int32_t> control(std::string_view symbol) const {
    const int32_t id = segmenter_.id(symbol);
    return at(id).type == PieceType::control ? std::optional(id) : std::nullopt;
  }

  void list_pieces() const {
    for (int32_t id = 0; id < size(); ++id)
      if (at(id).type == PieceType::normal) pieces_.add(at(id).text, {id, at(id).score});
  }

  std::vector<int32_t> resampled(const std::vector<int32_t>& ids, double rate, const Random& random) const {
    std::string text;
    for (const int32_t id : ids) text += at(id).text;
    const auto sample_pieces = model_.kind == VocabularyKind::bpe ? sample_bpe : sample_unigram;
    auto other = sample_pieces(text, pieces_, rate, random);
    return other.empty() ? ids : other;
  }

  mutable std::once_flag listed_;  // pieces_, for sample()
  mutable SubwordPieces pieces_;
  std::string content_;
  SentencePieceModel model_;
  Segmenter segmenter_{model_};
  Normalizer before_{model_.before, model_.blanks_behind,
                     segmenter_.has_symbols()
                         ? [this](std::string_view text) { return segmenter_.symbol_length(text); }
                         : Normalizer::SymbolLength()};
  Normalizer after_{model_.after, false, {}};
};

}  // namespace

std::unique_ptr<Vocabulary> parse_sentencepiece_vocabulary(std::string content, const std::string& name) {
  return std::make_unique<SentencePieceVocabulary>(std::move(content), name);
}

}  // namespace attune
