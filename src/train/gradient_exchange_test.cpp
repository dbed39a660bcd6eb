#include "train/gradient_exchange.h"

#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "tensor/after_each.h"

namespace attune {
namespace {

// Two ranks with the same gradients, of which this is the first: a sum doubles. The sum is taken when the
// exchange starts, so a gradient that grows afterwards is noticed.
struct Twins final : Ranks {
  struct Sum {
    int64_t count;
    int root;
  };
  std::vector<Sum> started;
  int waits = 0;

  int size() const override { return 2; }
  void start_sum(std::span<float> values, int root) override {
    for (float& value : values) value *= 2;
    started.push_back({static_cast<int64_t>(values.size()), root});
  }
  void wait() override { ++waits; }
};

// loss = sum(a b c), made so that c is used last; b is used twice.
Tensor loss_of(const Parameters& p) {
  const Tensor product = mul(mul(p.at("a"), p.at("b")), p.at("b"));
  return sum(mul(product, p.at("c")));
}

void fill(Parameters& p) {
  for (const char* name : {"a", "b", "c"})
    p.add(name, {100}, [&](const Tensor& t) { t.fill(name[0] - 'a' + 2); });
}

TEST(GradientExchange, divides_the_buffer_evenly_at_vectors) {
  const auto parts = divide(100, 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].begin, 0);
  EXPECT_EQ(parts[2].end, 100);
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(parts[i].begin, parts[i - 1].end);
    EXPECT_EQ(parts[i].begin % 16, 0);
  }
  EXPECT_EQ(divide(16, 3)[2].size() + divide(16, 3)[1].size() + divide(16, 3)[0].size(), 16);
}

TEST(GradientExchange, sends_what_is_done_while_the_rest_is_computed) {
  for (const bool owned : {false, true}) {
    Parameters plain, shared;
    fill(plain);
    fill(shared);
    backward(loss_of(plain));
    Twins ranks;
    GradientExchange exchange(shared, ranks, owned, 64);
    size_t before_the_end = 0;
    for (int update = 0; update < 2; ++update) {
      shared.zero_gradients();
      ranks.started.clear();
      backward(loss_of(shared), 1, [&](auto done) {
        if (!done.empty() && ranks.started.empty()) {
          EXPECT_EQ(done[0].template data<float>(), leaf_gradient(shared.at("c")).template data<float>());
        }
        exchange.done(done);
        before_the_end = std::max(before_the_end, ranks.started.size());
      });
      exchange.finish();
      int64_t sent = 0;
      for (const auto& [count, root] : ranks.started) {
        sent += count;
        EXPECT_EQ(root == Ranks::kAll, !owned);
      }
      EXPECT_EQ(sent, shared.gradients().size());
      EXPECT_EQ(ranks.waits, update + 1);
      for (const char* name : {"a", "b", "c"})
        EXPECT_EQ(leaf_gradient(shared.at(name)).span<float>()[7],
                  2 * leaf_gradient(plain.at(name)).span<float>()[7])
            << name;
    }
    EXPECT_GE(before_the_end, 2U);
  }
}

TEST(GradientExchange, a_rank_without_a_batch_sends_all_the_same) {
  Parameters parameters;
  fill(parameters);
  Twins ranks;
  GradientExchange exchange(parameters, ranks, true, 64);
  exchange.finish();
  int64_t sent = 0;
  for (const auto& sum : ranks.started) sent += sum.count;
  EXPECT_EQ(sent, parameters.gradients().size());
  EXPECT_EQ(ranks.started.front().root, 1);
  EXPECT_EQ(ranks.started.back().root, 0);
}

}  // namespace
}  // namespace attune
