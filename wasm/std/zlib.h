// What the pages' data needs of zlib: its format without compression (RFC 1950 and 1951, stored blocks),
// since nothing is sent anywhere; and PNG's checksum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

using uLong = unsigned long;
using uLongf = unsigned long;
using uInt = unsigned;
using Bytef = unsigned char;

constexpr int Z_OK = 0;
constexpr uLong kStoredBlock = 65535;

inline uLong compressBound(uLong size) { return size + 5 * (size / kStoredBlock + 1) + 6; }

inline int compress2(Bytef* to, uLongf* size, const Bytef* from, uLong count, int /*level*/) {
  Bytef* at = to;
  *at++ = 0x78;
  *at++ = 0x01;
  uint32_t a = 1, b = 0;  // Adler-32
  uLong done = 0;
  do {
    const uLong length = std::min(count - done, kStoredBlock);
    *at++ = done + length == count ? 1 : 0;
    for (const uLong word : {length, ~length}) {
      *at++ = static_cast<Bytef>(word & 255);
      *at++ = static_cast<Bytef>(word >> 8 & 255);
    }
    for (uLong i = 0; i < length; ++i) {
      *at++ = from[done + i];
      a = (a + from[done + i]) % 65521;
      b = (b + a) % 65521;
    }
    done += length;
  } while (done < count);
  for (const uint32_t half : {b, a}) {
    *at++ = static_cast<Bytef>(half >> 8);
    *at++ = static_cast<Bytef>(half & 255);
  }
  *size = static_cast<uLongf>(at - to);
  return Z_OK;
}

inline uLong crc32(uLong before, const Bytef* bytes, uInt count) {
  uint32_t sum = ~static_cast<uint32_t>(before);
  for (uInt i = 0; i < count; ++i) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (0xEDB88320U & (0U - (sum & 1U)));
  }
  return ~sum;
}
