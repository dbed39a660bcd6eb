// Word alignments as Pharaoh wrote them: "0-0 2-1" links the third word of the source to the second of the
// target. Words are what stands between blanks, as fast_align, eflomal and others take them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace attune {

struct WordLink {
  int32_t source, target;
  bool sure = true;  // in gold alignments "2p1" is only possible
};

// Nothing if it is no link.
std::optional<WordLink> read_link(std::string_view text);

// Between blanks and tabs.
std::vector<std::string_view> blank_separated(std::string_view text);

// For each token that the vocabulary makes of the text, the number of its word: of the one that it begins in,
// or in front of. -1: there is none behind it.
std::vector<int32_t> words_of_tokens(const Vocabulary& vocabulary, std::string_view text);

}  // namespace attune
