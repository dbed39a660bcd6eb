// A SentencePiece model (unigram or BPE) as a vocabulary.
#pragma once

#include <memory>
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace attune {

std::unique_ptr<Vocabulary> parse_sentencepiece_vocabulary(std::string content, const std::string& name);

}  // namespace attune
