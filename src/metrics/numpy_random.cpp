#include "metrics/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace attune::metrics {
namespace {

uint32_t fold(uint32_t x) { return x ^ (x >> 16); }

// numpy's SeedSequence: a pool of four words that mixes all bits of the seed and yields any number of words.
class SeedPool {
 public:
  explicit SeedPool(uint64_t seed)
      : pool_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), 0, 0} {
    uint32_t factor = 0x43B0D7E5;
    const auto hash = [&factor](uint32_t x) {
      x ^= factor;
      factor *= 0x931E8875;
      return fold(x * factor);
    };
    for (uint32_t& word : pool_) word = hash(word);
    for (size_t from = 0; from < pool_.size(); ++from)
      for (size_t to = 0; to < pool_.size(); ++to)
        if (from != to) pool_[to] = fold(0xCA01F9DD * pool_[to] - 0x4973F715 * hash(pool_[from]));
  }

  uint64_t next64() {
    const uint64_t low = next32();
    return low | uint64_t{next32()} << 32;
  }

 private:
  uint32_t next32() {
    uint32_t x = pool_[at_++ % pool_.size()] ^ factor_;
    factor_ *= 0x58F38DED;
    x *= factor_;
    return fold(x);
  }

  std::array<uint32_t, 4> pool_;
  size_t at_ = 0;
  uint32_t factor_ = 0x8B51F9DD;
};

}  // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  SeedPool pool(seed);
  const auto wide = [&pool] {
    const Wide high = pool.next64();
    return high << 64 | pool.next64();
  };
  const Wide start = wide();
  increment_ = wide() << 1 | 1;
  next64();
  state_ += start;
  next64();
}

uint64_t NumpyRandom::next64() {
  constexpr Wide kFactor = Wide{0x2360ED051FC65DA4} << 64 | 0x4385DF649FCCF645;
  state_ = state_ * kFactor + increment_;
  return std::rotr(static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_),
                   static_cast<int>(state_ >> 122));
}

uint32_t NumpyRandom::next32() {
  has_upper_ = !has_upper_;
  if (!has_upper_) return upper_;
  const uint64_t bits = next64();
  upper_ = static_cast<uint32_t>(bits >> 32);
  return static_cast<uint32_t>(bits);
}

// Lemire 2019: the upper half of a product, redrawn where some numbers would be more frequent than others.
uint32_t NumpyRandom::below(uint32_t n) {
  if (n == 1) return 0;
  uint64_t product = uint64_t{next32()} * n;
  if (static_cast<uint32_t>(product) < n)
    for (const uint32_t threshold = (0 - n) % n; static_cast<uint32_t>(product) < threshold;)
      product = uint64_t{next32()} * n;
  return static_cast<uint32_t>(product >> 32);
}

bool NumpyRandom::coin() {
  if (coins_left_ == 0) {
    coins_ = next32();
    coins_left_ = 32;
  }
  const bool result = (coins_ & 1) != 0;
  coins_ >>= 1;
  --coins_left_;
  return result;
}

}  // namespace attune::metrics
