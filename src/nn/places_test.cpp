// Positions by time and on a grid.
#include <gtest/gtest.h>

#include <cmath>

#include "nn/positions.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;

constexpr int64_t kSize = 8;

struct Made {
  Parameters parameters{DType::f64};
  Positions positions;

  Made(PositionKind kind, Places places)
      : positions(Scope(parameters, Random(1)), kind,
                  {.limit = 16, .d = kSize, .heads = 2, .waves = {}, .places = places}, false) {}

  // What is added to vectors of zeros.
  Tensor at(const Tensor& places) const {
    return positions.added(Tensor::zeros({places.rows(), kSize}, DType::f64),
                           Tensor::zeros({places.rows()}, DType::i32), places);
  }
};

Tensor of(const Shape& shape, const std::vector<float>& numbers) { return Tensor::of<float>(shape, numbers); }

TEST(Places, times_that_are_whole_numbers_are_positions) {
  const Made by_time(PositionKind::sinusoidal, Places::time);
  const Tensor table = sinusoidal_table(16, kSize), at = by_time.at(of({3, 1}, {0, 5, 2.5}));
  for (int64_t c = 0; c < kSize; ++c) {
    EXPECT_NEAR(at.data<double>()[c], table.data<double>()[c], 1e-12);
    EXPECT_NEAR(at.data<double>()[kSize + c], table.data<double>()[5 * kSize + c], 1e-12);
  }
  EXPECT_NEAR(at.data<double>()[2 * kSize], std::sin(2.5), 1e-12);
}

TEST(Places, a_grid_has_a_half_for_lines_and_a_half_for_columns) {
  const Made on_grid(PositionKind::sinusoidal, Places::grid);
  const Tensor table = sinusoidal_table(16, kSize / 2), at = on_grid.at(of({1, 2}, {3, 7}));
  for (int64_t c = 0; c < kSize / 2; ++c) {
    EXPECT_NEAR(at.data<double>()[c], table.data<double>()[3 * kSize / 2 + c], 1e-12);
    EXPECT_NEAR(at.data<double>()[kSize / 2 + c], table.data<double>()[7 * kSize / 2 + c], 1e-12);
  }
}

// L[a] + C[b] - L[a] - C[d] = L[e] + C[b] - L[e] - C[d]
TEST(Places, learned_lines_and_columns_are_added) {
  const Made on_grid(PositionKind::learned, Places::grid);
  const Tensor at = on_grid.at(of({4, 2}, {1, 2, 1, 5, 4, 2, 4, 5}));
  for (int64_t c = 0; c < kSize; ++c) {
    const auto value = [&](int64_t row) { return at.data<double>()[row * kSize + c]; };
    EXPECT_NEAR(value(0) - value(1), value(2) - value(3), 1e-12);
    EXPECT_NE(value(0), value(2));
  }
}

TEST(Places, learned_times_are_a_layer_over_waves) {
  Made by_time(PositionKind::learned, Places::time);
  ASSERT_EQ(by_time.parameters.entries().size(), 1u);
  expect_close(by_time.at(of({2, 1}, {0.5, 3})),
               linear(sinusoidal_rows(of({2}, {0.5, 3}), kSize), by_time.parameters.entries()[0].tensor),
               1e-12, "waves");
}

TEST(Places, positions_of_several_sources_begin_anew) {
  const Made by_index(PositionKind::sinusoidal, Places::index);
  const Tensor at = by_index.at(of({3, 1}, {0, 1, 0}));
  EXPECT_EQ(at.data<double>()[2], at.data<double>()[2 * kSize + 2]);
}

}  // namespace
}  // namespace attune
