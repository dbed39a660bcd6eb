// What a model is for.
#pragma once

#include <cstdint>

namespace attune {

enum class TaskKind : uint8_t {
  translate,  // a source to a target, whatever they are
  write,      // a text goes on
  tag,        // a tag for every token
  fill,       // masked tokens
  classify,   // a class for a text
};

}  // namespace attune
