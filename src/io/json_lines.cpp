#include "io/json_lines.h"

#include <string>

#include "attune/error.h"
#include "io/file.h"
#include "io/json.h"

namespace attune {
namespace {

// Whether a line is one of ours and not of an update after `last`.
bool stays(std::string_view line, int64_t last) {
  try {
    SectionEntries record = read_json(line, "");
    Entries& values = record[""];
    std::erase_if(values, [](const Entry& entry) { return entry.key != "update"; });
    int64_t update = 0;
    assign([&](Fields& f) { f("update", update, ""); }, values);
    return !values.empty() && update <= last;
  } catch (const UsageError&) {
    return false;
  }
}

const std::filesystem::path& cut_off(const std::filesystem::path& path, int64_t last) {
  if (!std::filesystem::exists(path)) return path;
  const std::string content = read_file(path);
  size_t kept = 0;
  for (size_t end = 0; (end = content.find('\n', kept)) != std::string::npos; kept = end + 1)
    if (!stays(std::string_view(content).substr(kept, end - kept), last)) break;
  if (kept < content.size()) write_file_atomically(path, std::string_view(content).substr(0, kept));
  return path;
}

}  // namespace

JsonLines::JsonLines(const std::filesystem::path& path, int64_t last) : file_(cut_off(path, last)) {}

void JsonLines::append(const FieldList& record) {
  const std::string line = json_line(record) + "\n";
  file_.append(std::as_bytes(std::span(line)));
}

}  // namespace attune
