// A page of attention maps: one HTML file that needs nothing else, in the reader's light or dark.
#pragma once

#include <string>
#include <vector>

#include "view/matrix.h"

namespace attune::view {

struct Panel {
  std::string name, output;  // of a model
  AttentionMatrix matrix;
};

// One input and what models made of it, side by side.
struct PageSection {
  std::string label, input, expected;  // "Deutsch", "15. November 2026", "2026-11-15"; expected may be empty
  std::vector<Panel> panels;
};

struct Page {
  std::string title, text;
  std::vector<PageSection> sections;
};

std::string html(const Page& page);

}  // namespace attune::view
