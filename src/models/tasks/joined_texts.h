// Tasks that read a text, or two, as BERT does (Devlin et al. 2019):  [CLS] text [SEP] (text [SEP])
#pragma once

#include "models/task.h"

namespace attune {

// An example's sides are the tokens, which of the two texts each belongs to, and what is expected.
class JoinedTextsTask : public Task {
 public:
  std::span<const std::string> symbols() const override;
  Batch batch(const Vocabularies& vocabularies, const Examples& examples) const override;

  // Nothing if one of the texts is empty.
  std::vector<TokenIds> question(const Vocabularies& vocabularies,
                                 std::span<const std::string> texts) const override;
  // The end of the last text goes, [SEP] stays.
  int64_t cut(std::vector<TokenIds>& question, int64_t longest) const override;
};

}  // namespace attune
