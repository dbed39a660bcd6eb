// Gold alignments of dates, character by character.
#pragma once

#include <string>

#include "demo/languages.h"

namespace attune::demo {

// Links from the characters of a written date, and of a time right behind it, to those of its ISO form, as
// `attune evaluate -m aer` reads them. A digit that is the same in both is sure (15-8); any other character
// of a field is possible for the digits of that field (3p5), all of a time for the digits of hour and minute,
// and everything for the signs between them, which nothing in particular says.
std::string date_links(const std::string& iso, const Filled& date, const Filled& time);

}  // namespace attune::demo
