// HTML as runs of text to translate and the markup between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/marks.h"

namespace attune::serve {

// Text without markup, and the tags inside it as marks. Tags that end a line, and what is not for people
// (scripts, comments), stand between runs.
struct HtmlRun {
  std::string before;  // markup, as it was
  std::string text;    // plain; empty for what needs no translation
  std::vector<Mark> marks = {};
};

// Any text is taken: what is no markup is text. The last run has no text.
std::vector<HtmlRun> cut_html(std::string_view html);

std::string escape_html(std::string_view text);

}  // namespace attune::serve
