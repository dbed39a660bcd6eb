// A model of another toolkit becomes a model folder, or a model folder becomes one of another toolkit's.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "convert/convert.h"

namespace attune {

// Follows the work.
struct ConversionWatch {
  std::function<void(const std::string&)> say = [](const std::string&) {};  // lines without their ends
  std::function<void(const std::string& file, double share)> read = [](const std::string&, double) {};
};

// Returns the model folders that were written: `to`, or to/1, to/2, .. for an ensemble; all of them or none.
std::vector<std::filesystem::path> import_model(const ImportSource& from, const std::filesystem::path& to,
                                                const ConversionWatch& watch = {});

// Refuses a place where something is that is not a model.
void require_free(const std::filesystem::path& to);

}  // namespace attune
