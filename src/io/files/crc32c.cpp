#include "io/files/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace attune {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // bit-reversed

// tables[k][b]: what the byte b contributes when k more bytes follow it. With these tables eight bytes are //
// processed at once (Kounavis and Berry 2005, "slicing by 8"): 1.5 GB/s, on any CPU.
using Tables = std::array<std::array<uint32_t, 256>, 8>;
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t b = 0; b < 256; ++b)
      tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 255];
  return tables;
}
constexpr Tables kTables = make_tables();

#if defined(__x86_64__)
// SSE4.2 has an instruction for exactly this polynomial: eight bytes in three cycles.
__attribute__((target("sse4.2"))) uint32_t by_instruction(std::span<const std::byte> bytes, uint32_t crc) {
  uint64_t wide = crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (const std::byte b : bytes) crc = _mm_crc32_u8(crc, static_cast<uint8_t>(b));
  return crc;
}

bool has_instruction() {
  static const bool has = __builtin_cpu_supports("sse4.2");
  return has;
}
#else
uint32_t by_instruction(std::span<const std::byte>, uint32_t crc) { return crc; }
bool has_instruction() { return false; }
#endif

}  // namespace

uint32_t crc32c_by_tables(std::span<const std::byte> bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 255];
  }
  for (const std::byte b : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint32_t>(b)) & 255];
  return ~crc;
}

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) {
  return has_instruction() ? ~by_instruction(bytes, ~before) : crc32c_by_tables(bytes, before);
}

}  // namespace attune
