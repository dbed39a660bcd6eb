// Tasks that read one or two texts as BERT does (Devlin et al. 2019):  [CLS] text [SEP] (text [SEP]);
// or rows of numbers, without these symbols.
#pragma once

#include "models/task.h"

namespace attune {

// An example's sides are the tokens, which of the two texts each belongs to, and the expected answers.
class JoinedTextsTask : public Task {
 public:
  std::span<const std::string> symbols() const override;
  Batch batch(const Vocabularies& vocabularies, const Examples& examples) const override;

  // Empty if one of the texts is empty.
  std::vector<TokenIds> question(const Vocabularies& vocabularies,
                                 std::span<const std::string> texts) const override;
  // Cuts the end of the last text but keeps [SEP].
  int64_t cut(std::vector<TokenIds>& question, int64_t longest) const override;
};

}  // namespace attune
