#include "text/vocabulary/sentencepiece_vocabulary.h"

#include <fmt/core.h>
#include <sentencepiece_processor.h>

#include <mutex>

#include "base/check.h"
#include "text/vocabulary/sentencepiece_model.h"
#include "text/vocabulary/subword_sampling.h"

namespace attune {
namespace {

class SentencePieceVocabulary final : public Vocabulary {
 public:
  SentencePieceVocabulary(std::string content, const std::string& name) : content_(std::move(content)) {
    kind_ = check_sentencepiece_model(content_, name);
    load(name);
    if (processor_.eos_id() < 0)
      throw UsageError(fmt::format("{}: the model has no symbol </s>, which must end every sentence", name));
  }

  VocabularyKind kind() const override { return kind_; }
  bool is_listed() const override { return false; }
  int32_t size() const override { return processor_.GetPieceSize(); }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int> ids;
    const auto status = processor_.Encode(text, &ids);
    attune::check(status.ok(), "SentencePiece cannot encode '{}': {}", text, status.message());
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
      if (ordinary_[static_cast<size_t>(id)]) {
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
    for (const auto& piece : processor_.EncodeAsImmutableProto(text).pieces()) all.push_back(piece.begin());
    return all;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    const auto status = processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &text);
    attune::check(status.ok(), "SentencePiece cannot decode: {}", status.message());
    return text;
  }

  std::string piece(int32_t id) const override {
    attune::check(id >= 0 && id < size(), "vocabulary: token {} does not exist, only 0 to {}", id,
                  size() - 1);
    return processor_.IdToPiece(id);
  }

  std::optional<int32_t> id(std::string_view piece) const override {
    const int found = processor_.PieceToId(piece);
    return processor_.IdToPiece(found) == piece ? std::optional(found) : std::nullopt;
  }

  int32_t unk() const override { return processor_.unk_id(); }
  int32_t bos() const override { return processor_.bos_id() < 0 ? eos() : processor_.bos_id(); }
  int32_t eos() const override { return processor_.eos_id(); }
  std::optional<uint8_t> byte(int32_t id) const override {
    if (!processor_.IsByte(id)) return {};
    return static_cast<uint8_t>(std::stoi(processor_.IdToPiece(id).substr(3, 2), nullptr, 16));  // <0xE4>
  }
  std::string serialized() const override { return content_; }

  std::vector<std::string> pieces(std::string_view text) const override {
    std::vector<std::string> shown;
    const auto status = processor_.Encode(text, &shown);
    attune::check(status.ok(), "SentencePiece cannot encode '{}': {}", text, status.message());
    return shown;
  }

  std::string join(const std::vector<std::string>& pieces) const override {
    std::string text;
    const auto status = processor_.Decode(pieces, &text);
    attune::check(status.ok(), "SentencePiece cannot decode: {}", status.message());
    return text;
  }

 private:
  void load(const std::string& name) {
    try {
      const auto status = processor_.LoadFromSerializedProto(content_);
      if (status.ok()) return;
      throw UsageError(fmt::format("{}: SentencePiece cannot read the model: {}", name, status.message()));
    } catch (const UsageError&) {
      throw;
    } catch (const std::exception& error) {
      throw UsageError(fmt::format("{}: SentencePiece cannot read the model: {}", name, error.what()));
    }
  }

  void list_pieces() const {
    ordinary_ = ordinary_pieces(content_);
    for (int32_t id = 0; id < size(); ++id)
      if (ordinary_[static_cast<size_t>(id)])
        pieces_.add(processor_.IdToPiece(id), {id, processor_.GetScore(id)});
  }

  std::vector<int32_t> resampled(const std::vector<int32_t>& ids, double rate, const Random& random) const {
    std::string text;
    for (const int32_t id : ids) text += processor_.IdToPiece(id);
    const auto sample_pieces = kind_ == VocabularyKind::bpe ? sample_bpe : sample_unigram;
    auto other = sample_pieces(text, pieces_, rate, random);
    return other.empty() ? ids : other;
  }

  mutable std::once_flag listed_;  // ordinary_ and pieces_, for sample()
  mutable std::vector<bool> ordinary_;
  mutable SubwordPieces pieces_;
  std::string content_;
  VocabularyKind kind_ = VocabularyKind::unigram;
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

std::unique_ptr<Vocabulary> parse_sentencepiece_vocabulary(std::string content, const std::string& name) {
  return std::make_unique<SentencePieceVocabulary>(std::move(content), name);
}

}  // namespace attune
