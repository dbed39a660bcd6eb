// Word, character and byte vocabularies: a list of tokens, kept as a text file with one token per line.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace attune {

struct ListedToken {
  std::string piece;
  int64_t count = 0;
  bool user = false;  // a user symbol
};

// What separates words: any white space, or only the blank, as in Marian (then a word may hold a no-break
// space).
enum class WordEnds : uint8_t { white_space, blanks };

// Words are separated by white space or blanks, and are joined by one space. Characters are code points:
// decoding is the exact inverse of encoding. A space is shown as ▁; ▁ itself and control characters as
// \u2581. User symbols are always one token (in a word vocabulary: when separated by spaces). Bytes are those
// of UTF-8, all 256 of them after the symbols: nothing is unknown. Those of ASCII are shown as characters,
// others as <0xE4>.
class ListedVocabulary final : public Vocabulary {
 public:
  // `tokens` follow <unk>, <s> and </s>: user symbols first, then the others, without duplicates.
  ListedVocabulary(VocabularyKind kind, std::vector<ListedToken> tokens,
                   WordEnds ends = WordEnds::white_space);

  VocabularyKind kind() const override { return kind_; }
  bool is_listed() const override { return true; }
  int32_t size() const override { return static_cast<int32_t>(tokens_.size()); }
  std::vector<int32_t> encode(std::string_view text) const override;
  std::vector<size_t> begins(std::string_view text) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  std::string piece(int32_t id) const override;
  std::optional<int32_t> id(std::string_view piece) const override;
  std::optional<uint8_t> byte(int32_t id) const override;
  int32_t unk() const override { return 0; }
  int32_t bos() const override { return 1; }
  int32_t eos() const override { return 2; }
  std::string serialized() const override;
  std::vector<std::string> pieces(std::string_view text) const override;
  std::string join(const std::vector<std::string>& pieces) const override;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Index = std::unordered_map<std::string, int32_t, Hash, std::equal_to<>>;

  // Each calls take(id, its text) for every token; the text is a part of `text`.
  template <class Take>
  void for_tokens(std::string_view text, const Take& take) const;
  template <class Take>
  void for_words(std::string_view text, const Take& take) const;
  template <class Take>
  void for_characters(std::string_view text, const Take& take) const;
  template <class Take>
  void for_bytes(std::string_view text, const Take& take) const;
  std::string text_of(int32_t id) const;  // of a character or byte
  int32_t lookup(std::string_view piece) const;
  const ListedToken* user_symbol_at(std::string_view text) const;

  VocabularyKind kind_;
  WordEnds ends_;
  std::vector<ListedToken> tokens_;  // including <unk>, <s> and </s>
  Index index_;
  size_t user_symbols_ = 0;
};

// The vocabulary of all bytes, after user symbols.
std::unique_ptr<Vocabulary> byte_vocabulary(const std::vector<std::string>& user_symbols);

// How a code point is shown as a piece of a character vocabulary.
std::string shown_character(char32_t c, std::string_view bytes);

bool is_listed_vocabulary(std::string_view content);
std::unique_ptr<Vocabulary> parse_listed_vocabulary(std::string_view content, const std::string& name);

}  // namespace attune
