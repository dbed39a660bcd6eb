// Placeholders: parts of a text that mean something to a program and have to survive its translation: {name},
// {{name}}, ${name}, %s, %1$d, %(name)s, addresses of pages and of mail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/marks.h"

namespace attune::serve {

// Marks of those that a sentence has, each for itself.
std::vector<Mark> find_placeholders(std::string_view sentence);

// Those that the output lost.
std::vector<Mark> lost_placeholders(const std::vector<Mark>& placeholders, std::string_view output);

}  // namespace attune::serve
