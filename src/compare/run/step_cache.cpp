#include "compare/run/step_cache.h"

#include <fmt/core.h>

#include "io/files/crc32c.h"
#include "io/files/file.h"

namespace attune::compare {

std::optional<Json> cached_step(const std::filesystem::path& path, const std::string& key) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Json document = Json::parse(read_file(path), nullptr, false);
  if (!document.is_object() || !document.contains("key") || !document.contains("value") ||
      document["key"] != key)
    return std::nullopt;
  return document["value"];
}

void cache_step(const std::filesystem::path& path, const std::string& key, const Json& value) {
  std::filesystem::create_directories(path.parent_path());
  write_file_atomically(path, Json{{"key", key}, {"value", value}}.dump() + "\n");
}

std::string digest(std::span<const std::string> lines) {
  uint32_t sum = 0;
  size_t bytes = 0;
  for (const std::string& line : lines) {
    sum = crc32c(std::as_bytes(std::span(line.data(), line.size() + 1)), sum);  // including its final NUL
    bytes += line.size();
  }
  return fmt::format("{} lines, {} bytes, {:08x}", lines.size(), bytes, sum);
}

}  // namespace attune::compare
