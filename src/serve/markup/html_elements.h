// What the elements of HTML mean for translation: which are inside a line of text, which are not translated,
// and which are open at a given place.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "serve/markup/html_tokens.h"

namespace attune::serve {

bool is_inline(std::string_view name);  // a tag inside a line of text; all others end it
bool is_void(std::string_view name);    // has no end
bool is_kept(const HtmlToken& tag);     // translate="no", class="notranslate", code and the like

// As much of the standard's stack of open elements as is needed to know what is inside an element that is
// kept. Each tag takes constant time on average.
class OpenElements {
 public:
  // Ends elements that this tag implicitly closes, such as a paragraph before another one. Whether there were
  // any.
  bool end_implied(const HtmlToken& start);
  void open(const HtmlToken& start);
  // Whether the element that it ends is the outermost kept one.
  bool close(const HtmlToken& end);
  bool kept() const { return kept_ > 0; }

 private:
  struct Element {
    std::string name;
    bool in_line, kept;
  };
  void pop();

  std::vector<Element> open_;
  std::map<std::string, size_t, std::less<>> blocks_;  // how many of each name are open
  size_t kept_ = 0;
};

}  // namespace attune::serve
