// The result of a step of a comparison, stored in a file with a key of everything that it depends on: each
// step is done once for each key.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compare/results_json.h"

namespace attune::compare {

// Empty if there is no such file, or if it has another key or is damaged.
std::optional<Json> cached_step(const std::filesystem::path& path, const std::string& key);
void cache_step(const std::filesystem::path& path, const std::string& key, const Json& value);

// A checksum of texts.
std::string digest(std::span<const std::string> lines);

}  // namespace attune::compare
