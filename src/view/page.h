// The page that shows attention: one HTML file that needs nothing else. Its program (web/) is built into this
// library; here it gets its data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/attention.h"

namespace attune::view {

// One input and what models made of it.
struct PageSentence {
  std::string label, expected;  // "Deutsch", "2026-11-15"; both may be empty
  std::vector<Attention> models;
};

struct Page {
  std::string title, text;  // both may be empty
  std::vector<PageSentence> sentences;
  std::string run = {};  // JSON of a training run for its curves; empty: none
};

// As JSON, for the page that asks a server.
std::string page_json(const Page& page);

// A UsageError if this build has no pages.
std::string html(const Page& page);
bool has_pages();

// The page with the JSON in it.
std::string html_with(std::string_view data);

}  // namespace attune::view
