// Placeholders: parts of a text that mean something to a program and have to survive its translation: {name},
// {{name}}, ${name}, %s, %1$d, %(name)s, addresses of pages and of mail. A text is never cut inside one.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace attune {

struct TextSpan {
  size_t begin, end;  // bytes
};

// In order, apart from each other. Takes linear time.
std::vector<TextSpan> find_placeholders(std::string_view text);

}  // namespace attune
