// Parts of files that need not fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/descriptor.h"

namespace attune {

// The bytes of a file from `begin` on; a UsageError if it has become too short for them.
void read_part(const Descriptor& file, uint64_t begin, std::span<std::byte> to,
               const std::filesystem::path& path);

// Returns whole pages of a mapped file to the system; they are read again if they are needed.
void give_back_pages(std::span<const std::byte> mapped);

// An open file without a name, for what is too large for memory; it is gone when it is closed.
Descriptor nameless_file();

}  // namespace attune
