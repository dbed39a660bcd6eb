#include "tensor/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/random.h"
#include "testing/op_case.h"

namespace attune {
namespace {

TEST(Arena, pieces_do_not_overlap_and_merge_when_they_return) {
  Arena arena;
  const Random random(1);
  std::vector<std::pair<std::byte*, size_t>> pieces;
  for (uint64_t i = 0; i < 2000; ++i) {
    if (!pieces.empty() && random.below(2, 3 * i) == 0) {
      const size_t index = random.below(pieces.size(), 3 * i + 1);
      const auto [memory, bytes] = pieces[index];
      for (size_t b = 0; b < bytes; ++b) ASSERT_EQ(memory[b], static_cast<std::byte>(bytes)) << "overwritten";
      arena.release(memory, bytes);
      pieces.erase(pieces.begin() + static_cast<int64_t>(index));
    } else {
      const size_t bytes = 1 + random.below(20000, 3 * i + 2);
      std::byte* memory = arena.allocate(bytes);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(memory) % Arena::kAlignment, 0u);
      std::memset(memory, static_cast<int>(bytes & 0xff), bytes);
      pieces.emplace_back(memory, bytes);
    }
  }
  for (const auto& [memory, bytes] : pieces) arena.release(memory, bytes);
  EXPECT_EQ(arena.stats().used, 0u);
  const int64_t blocks = arena.stats().blocks_made;
  arena.release(arena.allocate(arena.stats().reserved / static_cast<size_t>(blocks)),
                arena.stats().reserved / static_cast<size_t>(blocks));
  EXPECT_EQ(arena.stats().blocks_made, blocks) << "free memory did not merge";
}

TEST(Arena, reset_joins_free_blocks_and_keeps_what_is_in_use) {
  Arena arena;
  const size_t block = size_t{9} << 20;
  std::byte* kept = arena.allocate(64);
  *kept = std::byte{42};
  std::byte* one = arena.allocate(block);
  std::byte* two = arena.allocate(block);
  arena.release(one, block);
  arena.release(two, block);
  arena.reset();
  const int64_t made = arena.stats().blocks_made;
  std::byte* both = arena.allocate(2 * block);
  EXPECT_EQ(arena.stats().blocks_made, made);
  EXPECT_EQ(*kept, std::byte{42});
  arena.release(both, 2 * block);
  arena.release(kept, 64);
}

TEST(Arena, a_training_step_after_the_second_takes_no_memory_from_the_system) {
  const Tensor w = leaf(testing::random_tensor({256, 256}, 1, 0.1, DType::f32));
  const auto step = [&](int64_t tokens) {
    Tensor x = testing::random_tensor({tokens, 256}, 2, 1, DType::f32);
    for (int layer = 0; layer < 4; ++layer) x = linear(x, w, {}, Activation::gelu);
    backward(sum(x));
  };
  const auto step_and_reset = [&](int64_t tokens) {
    step(tokens);
    Arena::current()->reset();
  };
  step_and_reset(3000);
  step_and_reset(3000);
  const int64_t made = Arena::current()->stats().blocks_made;
  for (const int64_t tokens : {3000, 1234, 2999, 500, 3000}) step_and_reset(tokens);
  EXPECT_EQ(Arena::current()->stats().blocks_made, made);
}

TEST(Arena, tensors_may_die_in_another_thread) {
  Tensor t({1000});
  std::thread([moved = std::move(t)]() mutable { moved = Tensor(); }).join();
  Tensor made_elsewhere;
  std::thread([&] { made_elsewhere = Tensor::full({1000}, 3); }).join();
  EXPECT_EQ(made_elsewhere.data<float>()[999], 3);
}

TEST(Arena, of_a_thread_that_ended_keeps_only_the_blocks_of_tensors_that_outlive_it) {
  constexpr int64_t kLarge = int64_t{8} << 20;  // numbers: more than a block
  std::shared_ptr<Arena> arena;
  Tensor kept;
  std::thread([&] {
    arena = Arena::current();
    kept = Tensor::full({1000}, 3);
    const Tensor large({kLarge});
    EXPECT_GT(arena->stats().reserved, kLarge * sizeof(float));
  }).join();
  EXPECT_GT(arena->stats().reserved, 0u);
  EXPECT_LT(arena->stats().reserved, kLarge * sizeof(float));
  EXPECT_EQ(kept.data<float>()[999], 3);
  kept = Tensor();
  EXPECT_EQ(arena->stats().reserved, 0u);
}

TEST(Arena, many_threads_take_and_return_pieces_of_one_that_has_ended) {
  std::vector<Tensor> made;
  std::thread([&] {
    for (int i = 0; i < 400; ++i) made.push_back(Tensor::full({5000}, i));
  }).join();
  std::vector<std::thread> users;
  for (size_t user = 0; user < 4; ++user)
    users.emplace_back([&, user] {
      for (size_t i = user; i < made.size(); i += 4) {
        EXPECT_EQ(made[i].data<float>()[4999], static_cast<float>(i));
        made[i] = Tensor();
      }
    });
  for (std::thread& user : users) user.join();
}

}  // namespace
}  // namespace attune
