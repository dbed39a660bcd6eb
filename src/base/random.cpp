#include "attune/random.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"

namespace attune {
namespace {

std::array<uint32_t, 4> at(uint64_t index, uint32_t purpose) {
  return {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), 0, purpose};
}

uint64_t join(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

enum Purpose : uint32_t { kNumbers = 0x6e, kStreams = 0x73 };

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, uint64_t key) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

Random Random::stream(uint64_t number) const {
  const auto r = philox(at(number, kStreams), key_);
  return Random(join(r[0], r[1]));
}

uint64_t Random::bits(uint64_t index) const {
  const auto r = philox(at(index, kNumbers), key_);
  return join(r[0], r[1]);
}

double Random::uniform(uint64_t index) const { return unit(bits(index)); }

// Box and Muller, one of the pair: sqrt(-2 ln u) cos(2 pi v), u in (0, 1].
double Random::normal(uint64_t index) const {
  const auto r = philox(at(index, kNumbers), key_);
  const double u = 1.0 - unit(join(r[0], r[1])), v = unit(join(r[2], r[3]));
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

uint64_t Random::below(uint64_t bound, uint64_t index) const {
  check(bound > 0, "Random::below: the bound must be positive");
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits(index)) * bound) >> 64);
}

void Random::shuffle(std::span<int64_t> items) const {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i, i)]);
}

}  // namespace attune
