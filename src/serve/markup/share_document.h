// A long text for several engines: each translates some of its sentences.
#pragma once

#include <string>
#include <vector>

#include "serve/markup/cut_document.h"

namespace attune::serve {

// The text in at most so many shares, cut before sentences, each with about as many tokens.
std::vector<std::string> share_document(const std::vector<CutLine>& lines, size_t most);

}  // namespace attune::serve
