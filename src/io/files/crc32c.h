// CRC-32C (Castagnoli; RFC 3720, appendix B.4): detects damaged files, and frames TensorBoard's records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace attune {

// The checksum of the data with checksum `before` followed by `bytes`.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);
// The same on CPUs without an instruction for it.
uint32_t crc32c_by_tables(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace attune
