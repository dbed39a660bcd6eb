// Manual pages in the troff macros of man(7).
#pragma once

#include <span>
#include <string>

#include "cli/manual/described_verb.h"

namespace attune::cli {

std::string man_page(std::span<const DescribedVerb> verbs, const std::string& version);  // attune(1)
std::string man_page(const DescribedVerb& verb, const std::string& version);             // attune-VERB(1)

}  // namespace attune::cli
