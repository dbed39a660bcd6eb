// The record of a run, for its page.
#pragma once

#include <filesystem>
#include <string>

namespace attune {

bool is_run(const std::filesystem::path& folder);

// JSON: {"name", "metrics": [..], "validations": [..]}, the lines of metrics.jsonl and validations.jsonl. A
// line that is damaged, or still being written, is left out. A UsageError if the folder is not that of a run.
std::string run_record(const std::filesystem::path& folder, const std::string& name);

}  // namespace attune
