// Word alignments in Pharaoh's notation: "0-0 2-1" links the third word of the source to the second of the
// target. Words are separated by spaces, as in fast_align, eflomal and others.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace attune {

struct WordLink {
  int32_t source, target;
  bool sure = true;  // in gold alignments, "2p1" is only possible
};

// Empty if it is not a link.
std::optional<WordLink> read_link(std::string_view text);

// Splits at spaces and tabs.
std::vector<std::string_view> blank_separated(std::string_view text);

// For each token that the vocabulary makes of the text, the number of the word that it begins in or before.
// -1: no word follows.
std::vector<int32_t> words_of_tokens(const Vocabulary& vocabulary, std::string_view text);

}  // namespace attune
