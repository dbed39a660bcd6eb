// How the words of a text are written.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace attune {

// Words with spaces between them; Chinese; other scripts without spaces: Japanese, Thai and the like.
enum class Writing : uint8_t { spaced, chinese, unspaced };

// What most of the letters are.
Writing writing_of(std::span<const std::string> lines);

}  // namespace attune
