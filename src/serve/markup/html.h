// HTML as runs of text to translate and the markup between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/markup/place_markup.h"

namespace attune::serve {

// Text without markup, and the tags inside it as marks. Tags that end a line, tags around all of its text,
// and what is not shown (scripts, comments) are between runs.
struct HtmlRun {
  std::string before;  // markup, as it was
  std::string text;    // plain, with blanks instead of line ends; empty for what needs no translation
  std::vector<MarkupSpan> marks = {};

  // Characters that were written in another way, by where they begin in the text.
  struct Spelling {
    size_t begin, length;
    std::string source;
  };
  std::vector<Spelling> spellings = {};

  // A part of the text as it was written, without tags.
  std::string as_written(size_t begin, size_t end) const;
};

// Accepts any text: whatever is not markup is text. The last run has no text. The runs joined give the input.
std::vector<HtmlRun> cut_html(std::string_view html);

std::string escape_html(std::string_view text);

}  // namespace attune::serve
