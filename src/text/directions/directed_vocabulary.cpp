#include "text/directions/directed_vocabulary.h"

#include <algorithm>

#include "text/directions/direction.h"
#include "text/vocabulary/derived_vocabulary.h"

namespace attune {
namespace {

class DirectedVocabulary final : public DerivedVocabulary {
 public:
  DirectedVocabulary(std::shared_ptr<const Vocabulary> vocabulary, int32_t token)
      : DerivedVocabulary(std::move(vocabulary)), token_(token) {}

  std::vector<int32_t> encode(std::string_view text) const override {
    return with_first(base().encode(text), token_);
  }
  std::vector<int32_t> sample(std::string_view text, double rate, const Random& random) const override {
    return with_first(base().sample(text, rate, random), token_);
  }
  std::vector<size_t> begins(std::string_view text) const override {
    return with_first(base().begins(text), kNotInText);
  }
  std::vector<std::string> pieces(std::string_view text) const override {
    return with_first(base().pieces(text), base().piece(token_));
  }
  std::string decode(std::span<const int32_t> ids) const override {
    return base().decode(!ids.empty() && ids[0] == token_ ? ids.subspan(1) : ids);
  }

 private:
  // A text without tokens stays without.
  template <class T>
  static std::vector<T> with_first(std::vector<T> tokens, const T& first) {
    if (!tokens.empty()) tokens.insert(tokens.begin(), first);
    return tokens;
  }

  int32_t token_;
};

}  // namespace

Vocabularies towards(const Vocabularies& vocabularies, const std::string& language) {
  const int32_t token = vocabularies.source->required(language_token(language));
  return {std::make_shared<const DirectedVocabulary>(vocabularies.source, token), vocabularies.target};
}

std::vector<std::string> languages_with_token(const Vocabulary& vocabulary) {
  std::vector<std::string> languages;
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    if (const std::string piece = vocabulary.piece(id);
        piece.size() > 4 && piece.starts_with(">>") && piece.ends_with("<<"))
      languages.push_back(piece.substr(2, piece.size() - 4));
  std::ranges::sort(languages);
  return languages;
}

}  // namespace attune
