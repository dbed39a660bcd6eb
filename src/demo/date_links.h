// Gold alignments of dates, character by character.
#pragma once

#include <string>

#include "demo/languages.h"

namespace attune::demo {

// Links from the characters of a written date, and of a time directly after it, to those of its ISO form, in
// the format of `attune evaluate -m aer`. A digit that is the same in both is a sure link (15-8). Possible
// links (3p5) go from any other character of a field to the digits of that field, from all of a time to the
// digits of hour and minute, and from everything to the signs between them, which have no counterpart.
std::string date_links(const std::string& iso, const Filled& date, const Filled& time);

}  // namespace attune::demo
