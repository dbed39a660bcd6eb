// Guidance: which source tokens each target token of the training corpus should look at, from a file of word
// alignments (guided alignment; Chen et al. 2016).
#pragma once

#include <memory>

#include "attune/tensor.h"
#include "text/corpus/corpus.h"
#include "text/corpus/example.h"
#include "text/vocabulary/vocabularies.h"
#include "text/word_links.h"
#include "train/train_config.h"

namespace attune {

class Guidance {
 public:
  // Line n of the file belongs to line n of the corpus. All lines are checked: one that does not fit is a
  // UsageError that names file and line. The corpus must outlive the guidance.
  Guidance(const TrainConfig& config, const Corpus& corpus);

  // Every token of a word is linked to every token of the words that it is linked to. </s> has no links.
  std::vector<TokenLink> links(const CorpusLine& line, const Vocabularies& vocabularies) const;

 private:
  std::vector<WordLink> word_links(int64_t line) const;
  void check_line(int64_t line) const;

  LineFile file_;
  const Corpus& corpus_;
};

// Null if the configuration names no file.
std::unique_ptr<const Guidance> make_guidance(const TrainConfig& config, const Corpus& corpus);

// f32 [pairs]: see Batch::links.
Tensor link_matrix(const Examples& examples);

}  // namespace attune
