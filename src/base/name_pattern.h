// Patterns of names whose parts are separated by dots, such as those of parameters.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attune {

// Whether the parts of the pattern are successive parts of the name; * stands for any characters within a
// part. "encoder" matches "encoder.layer0.self.qkv.weight", and so do "self.qkv" and "layer*.self", but not
// "self.q".
bool matches_name(std::string_view pattern, std::string_view name);

bool matches_any(std::span<const std::string> patterns, std::string_view name);

}  // namespace attune
