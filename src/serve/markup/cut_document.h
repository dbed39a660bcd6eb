// Cuts a text of any length into sentences to translate and what is between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decode/cut_text.h"
#include "serve/markup/place_markup.h"

namespace attune::serve {

struct CutLine {
  std::string before;                               // white space, or all of a line that has no letters
  std::vector<CutPart> parts;                       // to translate
  std::string after;                                // the end of the line
  std::vector<std::vector<MarkupSpan>> marks = {};  // for each part the tags in it; none for plain text
};

// Line by line, sentence by sentence.
std::vector<CutLine> cut_document(std::string_view text, int64_t longest, const MakeTokens& tokens);
// A line is a run of text between tags that are no part of it.
std::vector<CutLine> cut_html_document(std::string_view html, int64_t longest, const MakeTokens& tokens);

// With outputs for all parts, in order.
std::string join_document(const std::vector<CutLine>& lines, const std::vector<std::string>& outputs);

bool has_letters(std::string_view text);

}  // namespace attune::serve
