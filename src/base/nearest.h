// The name that a user most likely meant by a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace attune {

// How many insertions, deletions, substitutions and swaps of neighbours turn a into b.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`; empty if none is near enough to suggest.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// ", did you mean 'NAME'?", or empty.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace attune
