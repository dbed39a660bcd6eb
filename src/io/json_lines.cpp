#include "io/json_lines.h"

#include <algorithm>
#include <string>

#include "io/files/file.h"
#include "io/json.h"

namespace attune {
namespace {

// The length of the first `bytes` up to the end of the last whole line.
int64_t whole_lines(const std::filesystem::path& path, int64_t bytes) {
  if (!std::filesystem::exists(path)) return 0;
  const std::string content = read_file(path);
  const size_t kept = std::min(content.size(), static_cast<size_t>(std::max<int64_t>(bytes, 0)));
  return kept == 0 ? 0 : static_cast<int64_t>(content.rfind('\n', kept - 1) + 1);
}

}  // namespace

JsonLines::JsonLines(const std::filesystem::path& path, int64_t bytes)
    : file_(path, whole_lines(path, bytes)) {}

void JsonLines::append(const FieldList& record) {
  const std::string line = json_line(record) + "\n";
  file_.append(std::as_bytes(std::span(line)));
}

}  // namespace attune
