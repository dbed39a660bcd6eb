// Temporary files and directories beside the one that they are to become: `.NAME.attune-tmp-PROCESS-NUMBER`.
// Each is locked (flock) by its writer, so that what a killed process left behind is told from what is being
// written.
#pragma once

#include <filesystem>

#include "base/descriptor.h"

namespace attune {

struct Temporary {
  std::filesystem::path path;
  Descriptor file;
};
Temporary make_temporary_file(const std::filesystem::path& target);
Temporary make_temporary_directory(const std::filesystem::path& target);

// Removes from a directory what writers that are no longer alive left there; returns how many. Nothing if
// there is no such directory.
int remove_stale_temporaries(const std::filesystem::path& directory);

}  // namespace attune
