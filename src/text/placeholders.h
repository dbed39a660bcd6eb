// Placeholders: parts of a text that mean something to a program and have to survive translation: {name},
// {{name}}, ${name}, %s, %1$d, %(name)s, web and mail addresses. A text is never cut inside one.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace attune {

struct TextSpan {
  size_t begin, end;  // bytes
};

// In order, without overlaps. Takes linear time.
std::vector<TextSpan> find_placeholders(std::string_view text);

}  // namespace attune
