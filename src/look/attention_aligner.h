// AttentionAligner: word alignments by what a model looks at while it is made to write the target. Words are
// separated by blanks, as in Pharaoh's format; </s> takes no part.
#pragma once

#include "look/attention_probe.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

// The attention of words: weights are summed over the tokens of the word that is looked at and averaged over
// the tokens of the word that looks. weights: [target tokens][source tokens]; word_of: for each token the
// number of its word, or -1; tokens beyond them have no word.
std::vector<std::vector<float>> attention_of_words(std::span<const std::vector<float>> weights,
                                                   std::span<const int32_t> source_word_of,
                                                   std::span<const int32_t> target_word_of, size_t sources,
                                                   size_t targets);

// For each word the word opposite that has the most weight; -1: none has any.
struct LikeliestWords {
  std::vector<int32_t> of_targets, of_sources;
};

class AttentionAligner {
 public:
  AttentionAligner(AttentionProbe probe, Vocabularies vocabularies, const view::AttentionChoice& choice = {});

  // Without a target, it is what the model writes.
  LikeliestWords align(const std::string& source, const std::optional<std::string>& target) const;

 private:
  AttentionProbe probe_;
  Vocabularies vocabularies_;
  view::AttentionChoice choice_;
};

}  // namespace attune
