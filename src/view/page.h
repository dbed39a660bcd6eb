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

// A text in both languages of the page.
struct BothLanguages {
  std::string en = {}, zh = {};
};

struct Page {
  BothLanguages title = {}, text = {};  // both may be empty
  std::vector<PageSentence> sentences = {};
  std::vector<std::string> runs = {};  // JSON of training runs (look/run_record.h), side by side
  std::string opens = {};              // the view that is shown first; empty: the usual one
};

// As JSON, for the page that asks a server.
std::string page_json(const Page& page);

// A UsageError if this build has no pages. The data is {"deflated": Base64 of zlib's deflate of page_json}.
std::string html(const Page& page);
bool has_pages();

// The page with the JSON in it.
std::string html_with(std::string_view data);
std::string page_with(std::string_view page, std::string_view data);

}  // namespace attune::view
