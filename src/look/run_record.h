// The record of a run, for its page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace attune {

bool is_run(const std::filesystem::path& folder);

// Of the attention after each validation: all layers, or only those from the target to the source.
enum class RunDetail : uint8_t { all, alignment };

// JSON: {"name", "metrics": [..], "validations": [..]}, the lines of metrics.jsonl and validations.jsonl. A
// line that is damaged, or still being written, is left out. A UsageError if the folder is not that of a run.
std::string run_record(const std::filesystem::path& folder, const std::string& name,
                       RunDetail detail = RunDetail::all);

}  // namespace attune
