#include "look/run_record.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "io/files/file.h"

namespace attune {
namespace {

using nlohmann::json;

// A line of validations.jsonl with less attention.
std::string thinned(std::string_view line) {
  json validation = json::parse(line);
  const auto text = validation.find("attention");
  if (text == validation.end() || !text->is_string() || !json::accept(text->get<std::string>()))
    return std::string(line);
  json seen = json::parse(text->get<std::string>());
  json kept = json::array();
  for (json& layer : seen["layers"])
    if (layer.value("kind", "") == "cross") kept.push_back(std::move(layer));
  if (kept.empty()) return std::string(line);
  seen["layers"] = std::move(kept);
  seen.erase("tree");
  *text = seen.dump();
  return validation.dump();
}

// The complete lines of a log that are JSON objects, separated by commas.
std::string list_of(const std::filesystem::path& path, RunDetail detail = RunDetail::all) {
  std::string list;
  const std::string content = std::filesystem::exists(path) ? read_file(path) : "";
  for (size_t begin = 0, end = 0; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(content).substr(begin, end - begin);
    if (line.starts_with('{') && json::accept(line))
      list.append(list.empty() ? "" : ",")
          .append(detail == RunDetail::all ? std::string(line) : thinned(line));
  }
  return list;
}

}  // namespace

bool is_run(const std::filesystem::path& folder) {
  return std::filesystem::is_regular_file(folder / "metrics.jsonl");
}

std::string run_record(const std::filesystem::path& folder, const std::string& name, RunDetail detail) {
  const std::filesystem::path metrics = folder / "metrics.jsonl";
  if (!is_run(folder))
    throw UsageError(fmt::format("{}: this is not the folder of a training run: it has no metrics.jsonl",
                                 folder.string()));
  return fmt::format("{{\"name\":{},\"metrics\":[{}],\"validations\":[{}]}}", nlohmann::json(name).dump(),
                     list_of(metrics), list_of(folder / "validations.jsonl", detail));
}

}  // namespace attune
