#include "nn/positions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/check.h"

namespace attune {
namespace {

constexpr int64_t kBuckets = 32, kFarthest = 128;  // of T5
constexpr int64_t kClipped = 16;                   // of Shaw et al. 2018

constexpr double kBase = 10000;

double angle(double position, int64_t pair, int64_t d, double base = kBase) {
  return position * std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(d));
}

}  // namespace

std::span<const char* const> enum_names(PositionKind) {
  static constexpr const char* kWords[] = {
      "none", "sinusoidal", "learned",           "rotary",          "alibi",
      "t5",   "shaw",       "sinusoidal_halves", "sinusoidal_split"};
  return kWords;
}

Tensor sinusoidal_table(int64_t positions, int64_t d) {
  Tensor all({positions}, DType::f64);
  std::iota(all.data<double>(), all.data<double>() + positions, 0.0);
  return sinusoidal_rows(all, d);
}

Tensor sinusoidal_rows(const Tensor& times, int64_t d) {
  const Tensor at = times.to(DType::f64);
  Tensor table({at.size(), d}, DType::f64);
  for (int64_t p = 0; p < at.size(); ++p)
    for (int64_t c = 0; c < d; ++c) {
      const double a = angle(at.data<double>()[p], c / 2, d);
      table.row<double>(p)[static_cast<size_t>(c)] = c % 2 == 0 ? std::sin(a) : std::cos(a);
    }
  return table;
}

Tensor sinusoidal_halves_table(int64_t positions, int64_t d) {
  Tensor table({positions, d}, DType::f64);
  const int64_t half = d / 2;
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; i < half; ++i) {
      const double a =
          static_cast<double>(p) * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half - 1));
      table.row<double>(p)[static_cast<size_t>(i)] = std::sin(a);
      table.row<double>(p)[static_cast<size_t>(i + half)] = std::cos(a);
    }
  return table;
}

Tensor sinusoidal_split_table(int64_t positions, int64_t d) {
  Tensor table({positions, d}, DType::f64);
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; i < d / 2; ++i) {
      table.row<double>(p)[static_cast<size_t>(i)] = std::sin(angle(static_cast<double>(p), i, d));
      table.row<double>(p)[static_cast<size_t>(i + d / 2)] = std::cos(angle(static_cast<double>(p), i, d));
    }
  return table;
}

namespace {

// The angle from one position to the next.
double turn(int64_t pair, int64_t d, const RotaryWaves& waves) {
  const double plain = angle(1, pair, d, waves.base);
  const double waves_in_text = static_cast<double>(waves.trained) * plain / (2 * std::numbers::pi);
  const double kept =
      std::clamp((waves_in_text - 1) / 3, 0.0, 1.0);  // 0: less than one wave; 1: four or more
  return plain * (kept + (1 - kept) / waves.stretch);
}

}  // namespace

Tensor rotary_table(int64_t positions, int64_t d, const RotaryWaves& waves) {
  Tensor table({positions, d}, DType::f64);
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; i < d / 2; ++i) {
      const double a = static_cast<double>(p) * turn(i, d, waves);
      table.row<double>(p)[static_cast<size_t>(i)] = std::cos(a);
      table.row<double>(p)[static_cast<size_t>(i + d / 2)] = std::sin(a);
    }
  return table;
}

Tensor alibi_bias(int64_t limit, int64_t heads) {
  const Tensor slopes = alibi_slopes(heads), bias({2 * limit - 1, heads}, DType::f64);
  for (int64_t r = 0; r < bias.rows(); ++r)
    for (int64_t h = 0; h < heads; ++h)
      bias.row<double>(r)[static_cast<size_t>(h)] =
          -slopes.data<double>()[h] * static_cast<double>(std::abs(r - limit + 1));
  return bias;
}

Tensor alibi_slopes(int64_t heads) {
  const auto n = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  Tensor slopes({heads}, DType::f64);
  for (int64_t h = 0; h < heads; ++h) {
    const double exponent = h < n ? static_cast<double>(h + 1) : static_cast<double>(h - n) + 0.5;
    slopes.data<double>()[h] = std::exp2(-8 * exponent / static_cast<double>(n));
  }
  return slopes;
}

int64_t t5_bucket(int64_t distance, int64_t buckets, bool causal) {
  int64_t first = 0;
  if (!causal) {
    buckets /= 2;
    first = distance > 0 ? buckets : 0;
  }
  const int64_t away = causal ? std::max<int64_t>(-distance, 0) : std::abs(distance), exact = buckets / 2;
  if (away < exact) return first + away;
  const double share = std::log(static_cast<double>(away) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(kFarthest) / static_cast<double>(exact));
  const auto wide = static_cast<int64_t>(share * static_cast<double>(buckets - exact));
  return first + std::min(exact + wide, buckets - 1);
}

Positions::Positions(const Scope& p, PositionKind kind, const Sizes& sizes, bool causal)
    : kind_(kind), places_(sizes.places), limit_(sizes.limit) {
  const auto& [limit, d, heads, waves, places, own_head] = sizes;
  const int64_t head = own_head > 0 ? own_head : d / heads;
  const int64_t waves_size = places == Places::grid ? d / 2 : d;
  switch (kind) {
    case PositionKind::none: break;
    case PositionKind::sinusoidal: table_ = sinusoidal_table(limit, waves_size).to(p.dtype()); break;
    case PositionKind::learned:
      if (places == Places::time) {
        table_ = p.param("waves", {d, d}, glorot());
        break;
      }
      table_ = p.param("weight", {limit, d}, normal(1 / std::sqrt(static_cast<double>(d))));
      if (places == Places::grid)
        lines_ = p.param("lines", {limit, d}, normal(1 / std::sqrt(static_cast<double>(d))));
      break;
    case PositionKind::rotary: table_ = rotary_table(limit, head, waves).to(p.dtype()); break;
    case PositionKind::sinusoidal_halves: table_ = sinusoidal_halves_table(limit, d).to(p.dtype()); break;
    case PositionKind::sinusoidal_split: table_ = sinusoidal_split_table(limit, d).to(p.dtype()); break;
    case PositionKind::alibi: bias_ = alibi_bias(limit, heads).to(p.dtype()); break;
    case PositionKind::t5: {
      table_ = p.param("bias", {kBuckets, heads}, normal(1 / std::sqrt(static_cast<double>(d))));
      buckets_ = Tensor({2 * kFarthest + 1}, DType::i32);
      for (int64_t i = 0; i <= 2 * kFarthest; ++i)
        buckets_.data<int32_t>()[i] = static_cast<int32_t>(t5_bucket(i - kFarthest, kBuckets, causal));
      break;
    }
    case PositionKind::shaw: table_ = p.param("relative", {2 * kClipped + 1, head}, glorot()); break;
  }
}

Tensor Positions::of(const Rows& before, const Rows& tokens) const {
  for (int64_t s = 0; s < tokens.count(); ++s) {
    const int64_t length = before.length(s) + tokens.length(s);
    check(length <= limit_, "sentence {} has {} tokens, but the model reads at most {} (max_positions)", s,
          length, limit_);
  }
  return token_positions(before, tokens);
}

Tensor Positions::of_places(const Tensor& places) const {
  const auto column = [&](int64_t c) {
    const Tensor ids({places.rows()}, DType::i32);
    for (int64_t i = 0; i < places.rows(); ++i)
      ids.data<int32_t>()[i] = static_cast<int32_t>(places.data<float>()[i * places.columns() + c]);
    return ids;
  };
  switch (places_) {
    case Places::index: break;
    case Places::grid:
      if (kind_ == PositionKind::learned)
        return add(embedding(lines_, column(0)), embedding(table_, column(1)));
      return concat_columns({embedding(table_, column(0)), embedding(table_, column(1))});
    case Places::time: {
      const Tensor waves = sinusoidal_rows(places, table_.columns()).to(table_.dtype());
      return kind_ == PositionKind::learned ? linear(waves, table_) : waves;
    }
  }
  return embedding(table_, column(0));
}

Tensor Positions::added(const Tensor& x, const Tensor& positions, const Tensor& places) const {
  const bool adds = kind_ == PositionKind::sinusoidal || kind_ == PositionKind::sinusoidal_halves ||
                    kind_ == PositionKind::sinusoidal_split || kind_ == PositionKind::learned;
  if (!adds) return x;
  return add(x, places ? of_places(places) : embedding(table_, positions));
}

Tensor Positions::rotated(const Tensor& x, const Tensor& positions) const {
  return kind_ == PositionKind::rotary ? rotary(x, positions, table_) : x;
}

}  // namespace attune
