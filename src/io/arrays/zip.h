// The files inside a zip archive: stored or deflated, also larger than 4 GB. The archive is not copied: a
// stored file is a part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
// Passes the bytes of a file of an archive to `see`, piece by piece, and keeps none. Faults may show at the
// end.
void unpack_zip(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& path,
                const std::function<void(std::span<const std::byte>)>& see);
ZipContent zip_content(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& path);

}  // namespace attune
