// Several sources of one model, such as a question and a picture: their tokens, one source after another. A
// text has a tab between the sources.
#pragma once

#include "text/vocabulary/vocabulary.h"

namespace attune {

// A vocabulary over those of the sources. Texts of words end in </s>.
std::unique_ptr<Vocabulary> several_sources(std::vector<std::shared_ptr<const Vocabulary>> parts);

// With tabs between them.
std::string joined_sources(std::span<const std::string> texts);

// The tokens of one of the sources as its own vocabulary numbers them.
std::vector<int32_t> tokens_of_source(const Vocabulary& several, std::span<const int32_t> ids, size_t part);

}  // namespace attune
