#include "vectors/sample_name.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>

#include "attune/error.h"

namespace attune {
namespace {

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

// What follows the last colon of `text`, which is cut off; empty: there is no colon, or no such part.
bool take_rows_part(std::string& text, FilePart& part) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  const std::string_view last = std::string_view(text).substr(colon + 1);
  const size_t dash = last.find('-');
  if (dash == std::string_view::npos) {
    part.number = number(last);
    if (!part.number) return false;
  } else {
    part.first = number(last.substr(0, dash));
    part.last = number(last.substr(dash + 1));
    if (!part.first || !part.last) {
      part.first = part.last = {};
      return false;
    }
  }
  text.resize(colon);
  return true;
}

}  // namespace

FilePart FilePart::parse(const std::string& text) {
  FilePart part{text};
  if (std::filesystem::exists(text)) return part;
  std::string rest = text;
  if (take_rows_part(rest, part) && part.first && *part.last <= *part.first)
    throw UsageError(fmt::format("{}: this part has no rows", text));
  for (const std::string_view ending : {".npz:", ".safetensors:"})
    if (const size_t at = rest.rfind(ending); at != std::string::npos) {
      part.array = rest.substr(at + ending.size());
      rest.resize(at + ending.size() - 1);
    }
  part.path = rest;
  return part;
}

SampleName SampleName::parse(const std::string& line) {
  const size_t bar = line.rfind('|');
  if (bar == std::string::npos || std::filesystem::exists(line)) return {FilePart::parse(line), {}};
  return {FilePart::parse(line.substr(0, bar)), FilePart::parse(line.substr(bar + 1))};
}

}  // namespace attune
