// The random numbers of numpy's default_rng(seed): sacreBLEU draws its samples with it, and equal samples
// give equal p-values and confidence intervals. The generator is PCG64 (O'Neill 2014), XSL-RR variant, seeded
// by SeedSequence.
#pragma once

#include <cstdint>

namespace attune::metrics {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint64_t seed);

  // A number below `n`; the sequence is that of Generator.choice(n, replace=True) and .integers(n).
  uint32_t below(uint32_t n);

  // The sequence is that of Generator.integers(2, dtype=bool). Not to be mixed with below().
  bool coin();

 private:
  uint64_t next64();
  uint32_t next32();

  __extension__ using Wide = unsigned __int128;
  Wide state_ = 0, increment_;
  uint32_t upper_ = 0;  // the half of the last 64 bits that next32() has not used yet
  bool has_upper_ = false;
  uint32_t coins_ = 0;
  int coins_left_ = 0;
};

}  // namespace attune::metrics
