// Marks: parts of a sentence that have to be found again in its translation, such as the text inside a tag,
// or a placeholder. They are placed by attention: a part of the sentence became the tokens that looked at it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/search/hypothesis.h"
#include "text/vocabulary/vocabularies.h"

namespace attune::serve {

struct MarkupSpan {
  size_t begin = 0, end = 0;  // bytes of the sentence; equal for a tag without content
  std::string before, after;  // go around what the part became
  bool literal = false;       // `before` stands for the part instead
};

// The tokens of an output: where they are in its text, and which part of the sentence each looked at most.
struct AlignedOutput {
  struct Token {
    size_t begin, end;                // in the text
    size_t source_begin, source_end;  // in the sentence
  };
  std::string text;
  std::vector<Token> tokens;
};

// `tokens` are those of the sentence as the model read them; the output has its alignment.
AlignedOutput aligned_output(const Vocabularies& vocabularies, const std::string& sentence,
                             std::span<const int32_t> tokens, const Hypothesis& output);

// The text of the output with the marks in their places. Marks are nested or disjoint; outer ones come first,
// and the result is properly nested too. `escape` turns text into HTML.
std::string place_markup(std::string_view sentence, const std::vector<MarkupSpan>& marks,
                         const AlignedOutput& output,
                         const std::function<std::string(std::string_view)>& escape);

}  // namespace attune::serve
