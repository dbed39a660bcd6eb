// Splits normalised text into the pieces of a SentencePiece model, as the library does:
//   unigram  the way with the highest sum of scores (Kudo 2018)
//   bpe      characters are merged, the pair whose piece has the highest score first (Sennrich et al. 2016)
//   word     at each ▁        character  at each character
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/sentencepiece/byte_trie.h"
#include "text/sentencepiece/model.h"

namespace attune {

inline constexpr std::string_view kEscapedBlank = "▁";

// Of the first character by its first byte, but not more than there is.
size_t character_length(std::string_view text);

struct Segment {
  std::string_view text;
  int32_t id;  // the unknown piece's if there is none
};

class Segmenter {
 public:
  explicit Segmenter(const SentencePieceModel& model);  // which must stay

  std::vector<Segment> split(std::string_view normalized) const;

  int32_t unk() const { return unk_; }
  int32_t id(std::string_view piece) const;  // of any type; unk() if there is none
  bool has_symbols() const { return !symbols_.empty(); }
  size_t symbol_length(std::string_view text) const;  // of the user symbol that the text begins with; 0: none

 private:
  std::vector<Segment> split_unigram(std::string_view text) const;
  std::vector<Segment> split_bpe(std::string_view text) const;
  std::vector<Segment> split_words(std::string_view text) const;
  std::vector<Segment> split_characters(std::string_view text) const;
  const SentencePiece& piece(int32_t id) const { return model_.pieces[static_cast<size_t>(id)]; }
  bool unused(int32_t id) const { return piece(id).type == PieceType::unused; }
  int32_t text_id(std::string_view text) const;  // of a piece of text; unk() if there is none

  const SentencePieceModel& model_;
  ByteTrie texts_;    // normal, user and unused pieces
  ByteTrie symbols_;  // user pieces
  std::map<std::string_view, int32_t> others_;
  int32_t unk_ = 0;
  float lowest_score_, highest_score_;  // of normal pieces
};

}  // namespace attune
