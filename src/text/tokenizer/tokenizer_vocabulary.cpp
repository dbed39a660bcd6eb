#include "text/tokenizer/tokenizer_vocabulary.h"

#include <fmt/core.h>

#include <unordered_map>

#include "base/check.h"
#include "text/tokenizer/token_model.h"

namespace attune {
namespace {

constexpr std::string_view kBlank = "▁";

class TokenizerVocabulary final : public Vocabulary {
 public:
  TokenizerVocabulary(std::string content, const std::string& name) : content_(std::move(content)) {
    const TokenizerFile file = parse_tokenizer_file(content_, name);
    writes_ = file.model == TokenizerFile::Model::byte_bpe;
    model_ = writes_ ? make_byte_bpe(file, name) : make_wordpiece(file);
    bos_ = file.bos;
    eos_ = file.eos;
    size_ = static_cast<int32_t>(file.tokens.size());
    for (const AddedToken& token : file.added) added_.emplace(token.id, token.text);
    for (int32_t id = 0; id < size_; ++id) index_.emplace(piece(id), id);
    sort_added(file);
  }

  VocabularyKind kind() const override { return VocabularyKind::bpe; }
  bool is_listed() const override { return false; }
  const char* file_ending() const override { return ".json"; }
  int32_t size() const override { return size_; }
  int32_t unk() const override { return model_->unk(); }
  int32_t bos() const override { return bos_; }
  int32_t eos() const override { return eos_; }
  std::string serialized() const override { return content_; }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    for_tokens(text, [&](int32_t id, std::string_view, size_t) { ids.push_back(id); });
    return ids;
  }

  std::vector<size_t> begins(std::string_view text) const override {
    std::vector<size_t> all;
    for_tokens(text, [&](int32_t, std::string_view, size_t begin) { all.push_back(begin); });
    return all;
  }

  std::vector<std::string> pieces(std::string_view text) const override {
    std::vector<std::string> shown;
    for_tokens(text, [&](int32_t id, std::string_view token, size_t) {
      shown.push_back(id == unk() && token != piece(id) ? model_->shown_unknown(token) : piece(id));
    });
    return shown;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<int32_t> words;
    for (const int32_t id : ids) {
      check_id(id);
      if (id != bos_ && id != eos_) words.push_back(id);
    }
    return model_->decode(words);
  }

  // Pieces that are not tokens are texts.
  std::string join(const std::vector<std::string>& pieces) const override {
    std::string text;
    std::vector<int32_t> known;
    const auto flush = [&] {
      const std::string part = decode(known);
      if (!text.empty() && !known.empty() && piece(known[0]).starts_with(kBlank) && !part.starts_with(' '))
        text += ' ';
      text += part;
      known.clear();
    };
    for (const std::string& shown : pieces) {
      if (const auto token = id(shown)) {
        known.push_back(*token);
        continue;
      }
      flush();
      const bool word = shown.starts_with(kBlank);
      if (word && !text.empty()) text += ' ';
      text += std::string_view(shown).substr(word ? kBlank.size() : 0);
    }
    flush();
    return text;
  }

  std::string piece(int32_t id) const override {
    check_id(id);
    const auto added = added_.find(id);
    return added != added_.end() ? added->second : model_->shown(id);
  }

  std::optional<int32_t> id(std::string_view piece) const override {
    const auto found = index_.find(std::string(piece));
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

  std::string_view fragment(int32_t id) const override {
    return added_.contains(id) ? std::string_view() : model_->fragment(id);
  }
  std::optional<uint8_t> byte(int32_t id) const override {
    const std::string_view part = fragment(id);
    return part.size() == 1 ? std::optional(static_cast<uint8_t>(part[0])) : std::nullopt;
  }

 private:
  void check_id(int32_t id) const {
    check(id >= 0 && id < size_, "vocabulary: token {} does not exist, only 0 to {}", id, size_ - 1);
  }

  // In a vocabulary to write with, text that spells the end is not the end.
  void sort_added(const TokenizerFile& file) {
    const bool changes = !writes_ || file.bpe.compose;
    std::vector<AddedToken> raw, normalized;
    for (AddedToken token : file.added) {
      if (writes_ && (token.id == bos_ || token.id == eos_)) continue;
      if (token.normalized && changes) {
        token.text = model_->normalized(token.text).text;
        normalized.push_back(std::move(token));
      } else {
        raw.push_back(std::move(token));
      }
    }
    raw_ = AddedTokens(std::move(raw));
    normalized_ = AddedTokens(std::move(normalized));
  }

  // take(id, its text after normalisation, the byte of the text where it begins) for each token
  template <class Take>
  void for_tokens(std::string_view text, const Take& take) const {
    for (const MarkedPart& part : raw_.split(text)) {
      const auto at = static_cast<size_t>(part.text.data() - text.data());
      if (part.id) {
        take(*part.id, part.text, at);
        continue;
      }
      const TracedText traced = model_->normalized(part.text);
      const auto begin_of = [&](std::string_view token) {
        return at + traced.origins[static_cast<size_t>(token.data() - traced.text.data())];
      };
      for (const MarkedPart& inner : normalized_.split(traced.text)) {
        if (inner.id)
          take(*inner.id, inner.text, begin_of(inner.text));
        else
          for (const CutToken& token : model_->cut(inner.text))
            take(token.id, token.text, begin_of(token.text));
      }
    }
  }

  std::string content_;
  bool writes_ = false;
  std::unique_ptr<TokenModel> model_;
  int32_t size_ = 0, bos_ = 0, eos_ = 0;
  std::unordered_map<int32_t, std::string> added_;
  std::unordered_map<std::string, int32_t> index_;
  AddedTokens raw_, normalized_;
};

}  // namespace

std::unique_ptr<Vocabulary> parse_tokenizer_vocabulary(std::string content, const std::string& name) {
  return std::make_unique<TokenizerVocabulary>(std::move(content), name);
}

}  // namespace attune
