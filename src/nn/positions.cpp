#include "nn/positions.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace attune {
namespace {

double angle(int64_t position, int64_t pair, int64_t d) {
  return static_cast<double>(position) *
         std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(d));
}

}  // namespace

std::span<const char* const> enum_names(PositionKind) {
  static constexpr const char* kWords[] = {"none", "sinusoidal", "learned", "rotary", "alibi"};
  return kWords;
}

Tensor sinusoidal_table(int64_t positions, int64_t d) {
  Tensor table({positions, d}, DType::f64);
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t c = 0; c < d; ++c) {
      const double a = angle(p, c / 2, d);
      table.row<double>(p)[static_cast<size_t>(c)] = c % 2 == 0 ? std::sin(a) : std::cos(a);
    }
  return table;
}

Tensor rotary_table(int64_t positions, int64_t d) {
  Tensor table({positions, d}, DType::f64);
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; i < d / 2; ++i) {
      table.row<double>(p)[static_cast<size_t>(i)] = std::cos(angle(p, i, d));
      table.row<double>(p)[static_cast<size_t>(i + d / 2)] = std::sin(angle(p, i, d));
    }
  return table;
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

Positions::Positions(const Scope& p, PositionKind kind, int64_t limit, int64_t d, int64_t heads)
    : kind_(kind), limit_(limit) {
  switch (kind) {
    case PositionKind::none: break;
    case PositionKind::sinusoidal: table_ = sinusoidal_table(limit, d).to(p.dtype()); break;
    case PositionKind::learned:
      table_ = p.param("weight", {limit, d}, normal(1 / std::sqrt(static_cast<double>(d))));
      break;
    case PositionKind::rotary: table_ = rotary_table(limit, d / heads).to(p.dtype()); break;
    case PositionKind::alibi: slopes_ = alibi_slopes(heads).to(p.dtype()); break;
  }
}

Tensor Positions::of(const Rows& before, const Rows& tokens) const {
  std::vector<int32_t> positions;
  for (int64_t s = 0; s < tokens.count(); ++s) {
    const int64_t first = before.length(s), length = first + tokens.length(s);
    check(length <= limit_, "sentence {} has {} tokens, but the model reads at most {} (max_positions)", s,
          length, limit_);
    for (int64_t i = first; i < length; ++i) positions.push_back(static_cast<int32_t>(i));
  }
  return Tensor::of<int32_t>({static_cast<int64_t>(positions.size())}, positions);
}

Tensor Positions::added(const Tensor& x, const Tensor& positions) const {
  const bool adds = kind_ == PositionKind::sinusoidal || kind_ == PositionKind::learned;
  return adds ? add(x, embedding(table_, positions)) : x;
}

Tensor Positions::rotated(const Tensor& x, const Tensor& positions) const {
  return kind_ == PositionKind::rotary ? rotary(x, positions, table_) : x;
}

}  // namespace attune
