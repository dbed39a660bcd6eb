// Model folders in other forms, as `attune quantize` and `attune convert` make them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attune {

// A folder with 8-bit weights: a quarter of the size, and faster. `to` must not exist.
void quantize_model(const std::filesystem::path& from, const std::filesystem::path& to);

struct ConversionOptions {
  std::string to = {};  // format to write; empty: `from` is another toolkit's model
  std::vector<std::filesystem::path> vocabs = {};  // of a Marian model
};

// Returns the model folders (or the folder of the other toolkit) that were written; several for an ensemble.
std::vector<std::filesystem::path> convert_model(const std::filesystem::path& from,
                                                 const std::filesystem::path& to,
                                                 const ConversionOptions& options = {});

}  // namespace attune
