// Where sentences and words begin and end (Unicode Standard Annex 29): by ICU, or in WebAssembly by the
// browser.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace attune {

// Bytes of the text, which is UTF-8: 0 first, its size last.
std::vector<size_t> sentence_breaks(std::string_view text);
std::vector<size_t> word_breaks(std::string_view text);

}  // namespace attune
