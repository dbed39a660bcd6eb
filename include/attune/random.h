// Random numbers by counter: number i of a stream is a function of only the seed, the stream and i, so
// results do not depend on the number of threads or on the order in which numbers are drawn.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace attune {

// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, uint64_t key);

class Random {
 public:
  Random() = default;
  explicit Random(uint64_t seed) : key_(seed) {}

  // An independent stream; streams of different numbers, and streams of streams, do not overlap in practice.
  Random stream(uint64_t number) const;

  uint64_t bits(uint64_t index) const;
  double uniform(uint64_t index) const;                  // [0, 1)
  double normal(uint64_t index) const;                   // mean 0, variance 1
  uint64_t below(uint64_t bound, uint64_t index) const;  // 0 .. bound - 1; bound > 0
  void shuffle(std::span<int64_t> items) const;

  uint64_t key() const { return key_; }
  bool operator==(const Random&) const = default;

 private:
  uint64_t key_ = 0;
};

}  // namespace attune
