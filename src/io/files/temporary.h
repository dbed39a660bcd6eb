// Temporary files and directories next to their future place: `.NAME.attune-tmp-PROCESS-NUMBER`. Each is
// locked (flock) by its writer, which tells the leftovers of a killed process from files that are being
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

// Removes the leftovers of dead writers from a directory and returns how many there were; 0 if there is no
// such directory.
int remove_stale_temporaries(const std::filesystem::path& directory);

}  // namespace attune
