// The files inside a zip archive: stored or deflated, also larger than 4 GB. The archive is not copied: a
// stored file is a part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune {

struct ZipEntry {
  std::string name;
  uint64_t packed = 0, size = 0;  // bytes in the archive, and after unpacking
  uint64_t header = 0;            // where its local header begins
  uint32_t crc = 0;
  bool deflated = false;
};

// The bytes of a file of an archive: a part of the archive, or `unpacked`.
struct ZipContent {
  std::vector<std::byte> unpacked;
  std::span<const std::byte> bytes;
};

// `path` appears in messages. An archive that is cut off, damaged or encrypted is a UsageError that names the
// place; no more memory is allocated than the archive can fill.
std::vector<ZipEntry> zip_entries(std::span<const std::byte> archive, const std::string& path);
ZipContent zip_content(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& path);

}  // namespace attune
