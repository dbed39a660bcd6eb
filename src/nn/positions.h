// Positions: attention sees a set of tokens; positions tell it their order.
#pragma once

#include <span>

#include "attune/ops/rows.h"
#include "base/places.h"
#include "nn/ragged.h"
#include "nn/scope.h"

namespace attune {

enum class PositionKind : uint8_t {
  none,
  sinusoidal,
  learned,
  rotary,
  alibi,
  t5,
  shaw,
  sinusoidal_halves,
  sinusoidal_split
};
std::span<const char* const> enum_names(PositionKind);

// Vaswani et al. 2017, 3.5:  PE(pos, 2i) = sin(pos / 10000^(2i/d)),  PE(pos, 2i+1) = cos(the same)
Tensor sinusoidal_table(int64_t positions, int64_t d);
// The same waves in another order and with slightly other lengths, as in tensor2tensor and Marian: the sines,
// then the cosines, of pos / 10000^(i / (d/2 - 1)), i < d/2
Tensor sinusoidal_halves_table(int64_t positions, int64_t d);
// The waves of sinusoidal_table, the sines before the cosines, as in Hugging Face's MarianMT
Tensor sinusoidal_split_table(int64_t positions, int64_t d);
// Those of sinusoidal_table for any times.
Tensor sinusoidal_rows(const Tensor& times, int64_t d);
// Su et al. 2021:  the cosines, then the sines, of pos / base^(2i/d), i < d/2; their base is 10000.
// Llama 3.1: waves that are longer than the text which the model was trained on before become `stretch` times
// as long, those of less than a quarter of it stay, and in between one goes over into the other.
struct RotaryWaves {
  double base = 10000, stretch = 1;
  int64_t trained = 8192;
};
Tensor rotary_table(int64_t positions, int64_t d, const RotaryWaves& waves);
// Press et al. 2022, 3:  2^(-8 h / heads) for h = 1 .. heads; interpolated if heads is not a power of two
Tensor alibi_slopes(int64_t heads);
Tensor alibi_bias(int64_t limit, int64_t heads);  // [2 limit - 1, heads]: -slope |distance|

// Raffel et al. 2020, 2.1: the bucket of a distance (key - query): one each up to a quarter of all buckets,
// then wider and wider ones up to 128. A causal model has no keys ahead and uses all buckets for those
// before.
int64_t t5_bucket(int64_t distance, int64_t buckets, bool causal);

class Positions {
 public:
  struct Sizes {
    int64_t limit, d, heads;
    RotaryWaves waves;
    Places places = Places::index;
    int64_t head = 0;  // the size of a head; 0: d / heads
  };
  Positions(const Scope& p, PositionKind kind, const Sizes& sizes, bool causal);

  // The positions of tokens that follow `before`, i32 [tokens]. Throws if a sentence exceeds the limit.
  Tensor of(const Rows& before, const Rows& tokens) const;

  // sinusoidal (all), learned: x + PE(position). `places` [tokens, 1 or 2], if they are defined, count in
  // place of the positions:
  //   grid:  sinusoidal: [PE(line); PE(column)], each of half the size;  learned: L[line] + C[column]
  //   time:  sinusoidal: PE(t) for any number t;  learned: W PE(t)
  Tensor added(const Tensor& x, const Tensor& positions, const Tensor& places = {}) const;
  Tensor rotated(const Tensor& x, const Tensor& positions) const;  // rotary: queries and keys
  int64_t limit() const { return limit_; }                         // the most positions of a sentence
  // alibi, t5: added to the energies by distance, [2 r + 1, heads]; otherwise undefined.
  Tensor bias() const { return buckets_ ? embedding(table_, buckets_) : bias_; }
  // Shaw et al. 2018: vectors added to the keys by distance, up to 16; [33, head]; otherwise undefined.
  Tensor relative() const { return kind_ == PositionKind::shaw ? table_ : Tensor(); }

 private:
  Tensor of_places(const Tensor& places) const;

  PositionKind kind_;
  Places places_;
  int64_t limit_;
  Tensor table_;           // those that are added [limit, d]; rotary [limit, head]; t5 [buckets, heads]; shaw
  Tensor lines_;           // learned, on a grid: [limit, d]
  Tensor bias_, buckets_;  // alibi; t5: i32 [2 r + 1]
};

}  // namespace attune
