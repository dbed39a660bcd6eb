// SampleName: what a line of a corpus says about where a sample is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace attune {

// A file or a part of it: PATH, PATH:FIRST-LAST (rows FIRST up to but without LAST, counted from 0) or
// PATH:NUMBER (of an array with three dimensions). A path that ends in .npz or .safetensors is followed by
// the name of an array, PATH:NAME, unless there is only one.
struct FilePart {
  std::string path, array = {};
  std::optional<int64_t> first = {}, last = {}, number = {};

  // A UsageError if the part has no rows.
  static FilePart parse(const std::string& text);
};

// NODES or NODES|EDGES
struct SampleName {
  FilePart rows;
  std::optional<FilePart> edges;

  static SampleName parse(const std::string& line);
};

}  // namespace attune
