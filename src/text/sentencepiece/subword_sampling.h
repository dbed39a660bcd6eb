// Subword sampling: a text in other pieces than the best ones, by chance, so that a model learns how words
// are built. The random numbers are those of the given stream, whatever was sampled before.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attune/random.h"

namespace attune {

struct SubwordPiece {
  int32_t id;
  double score;  // unigram: log probability; BPE: those with higher scores are merged first
};

class SubwordPieces {
 public:
  void add(std::string text, SubwordPiece piece);
  const SubwordPiece* find(std::string_view text) const;  // null: there is no such piece
  size_t longest() const { return longest_; }             // in bytes

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, SubwordPiece, Hash, std::equal_to<>> pieces_;
  size_t longest_ = 0;
};

// Kudo 2018: one of all ways to split the text (UTF-8), with a probability proportional to p^alpha, where log
// p is the sum of its pieces' scores; by filtering forwards and sampling backwards. Empty if there is no way.
std::vector<int32_t> sample_unigram(std::string_view text, const SubwordPieces& pieces, double alpha,
                                    const Random& random);

// BPE-dropout (Provilkov et al. 2020): characters are merged to pieces, those with the highest score first,
// but each merge is left out with the probability `dropout`. Empty if that leaves what is not a piece.
std::vector<int32_t> sample_bpe(std::string_view text, const SubwordPieces& pieces, double dropout,
                                const Random& random);

}  // namespace attune
