// LineVocabularies: the vocabularies by which each line of a corpus is read.
#pragma once

#include <map>
#include <string>

#include "text/corpus/corpus.h"
#include "text/corpus/example.h"
#include "text/vocabulary/vocabularies.h"
#include "train/train_config.h"

namespace attune {

class LineVocabularies {
 public:
  // With the tokens of the target languages and with sampled subwords, as configured. The corpus must outlive
  // this.
  LineVocabularies(const TrainConfig& config, const Corpus& corpus, const Vocabularies& vocabularies);

  Vocabularies of(const CorpusLine& line) const;

 private:
  const Corpus& corpus_;
  Vocabularies all_;
  std::map<std::string, Vocabularies> towards_;  // by target language; none if the run has no directions
  double sampling_;
};

}  // namespace attune
