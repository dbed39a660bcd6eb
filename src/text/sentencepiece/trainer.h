// Learns a SentencePiece model from lines of text, through the library's C++ interface.
#pragma once

#include <memory>
#include <vector>

#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {

std::unique_ptr<Vocabulary> train_sentencepiece(const std::vector<TextLines>& text,
                                                const VocabularyOptions& options);

}  // namespace attune
