// WordPiece (Devlin et al. 2019): a word is the longest token that begins it, then the longest that continues
// it, and so on; if there is none at some point, the whole word is unknown.
#include <unordered_map>

#include "text/tokenizer/token_model.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr std::string_view kBlank = "▁";

class WordPiece final : public TokenModel {
 public:
  explicit WordPiece(const TokenizerFile& file) : rules_(file.wordpiece), tokens_(file.tokens) {
    for (size_t i = 0; i < tokens_.size(); ++i) ids_.emplace(tokens_[i], static_cast<int32_t>(i));
  }

  TracedText normalized(std::string_view text) const override { return bert_normalized(text, rules_.text); }

  std::vector<CutToken> cut(std::string_view text) const override {
    std::vector<CutToken> tokens;
    for (const std::string_view word : bert_words(text)) cut_word(word, tokens);
    return tokens;
  }

  // Words with spaces between them, but not before . , ! ? and not around an apostrophe.
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    bool joined = true;
    for (const int32_t id : ids) {
      const std::string& token = tokens_[static_cast<size_t>(id)];
      const bool continues = is_continuation(token);
      const bool close = token == "." || token == "," || token == "!" || token == "?" || token == "'";
      if (!joined && !continues && !close) text += ' ';
      text += std::string_view(token).substr(continues ? rules_.prefix.size() : 0);
      joined = token == "'";
    }
    return text;
  }

  std::string shown(int32_t id) const override {
    const std::string& token = tokens_[static_cast<size_t>(id)];
    return is_continuation(token) ? token.substr(rules_.prefix.size()) : std::string(kBlank) + token;
  }
  std::string shown_unknown(std::string_view text) const override {
    return std::string(kBlank) + std::string(text);
  }

  std::string_view fragment(int32_t) const override { return {}; }
  int32_t unk() const override { return rules_.unk; }

 private:
  bool is_continuation(std::string_view token) const {
    return token.size() > rules_.prefix.size() && token.starts_with(rules_.prefix);
  }

  void cut_word(std::string_view word, std::vector<CutToken>& to) const {
    const size_t first = to.size();
    const auto unknown = [&] {
      to.resize(first);
      to.push_back({rules_.unk, word});
    };
    if (static_cast<int64_t>(count_code_points(word)) > rules_.longest_word) return unknown();
    std::string piece;
    for (size_t begin = 0; begin < word.size();) {
      size_t end = word.size();
      auto found = ids_.end();
      while (end > begin) {
        piece = begin > 0 ? rules_.prefix : "";
        piece += word.substr(begin, end - begin);
        found = ids_.find(piece);
        if (found != ids_.end()) break;
        end = code_point_begin(word, end - 1);
      }
      if (found == ids_.end()) return unknown();
      to.push_back({found->second, word.substr(begin, end - begin)});
      begin = end;
    }
  }

  TokenizerFile::WordPiece rules_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t> ids_;
};

}  // namespace

std::unique_ptr<TokenModel> make_wordpiece(const TokenizerFile& file) {
  return std::make_unique<WordPiece>(file);
}

}  // namespace attune
