#include "base/stop_signal.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <thread>

#include "attune/ops.h"
#include "ops/product/onednn.h"

namespace attune {
namespace {

TEST(StopSignal, one_signal_asks_and_what_was_before_comes_back) {
  struct sigaction before {
  }, after{};
  sigaction(SIGTERM, nullptr, &before);
  {
    const StopSignal stop;
    EXPECT_FALSE(StopSignal::asked());
    raise(SIGTERM);
    EXPECT_TRUE(StopSignal::asked());
  }
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(StopSignal, a_second_signal_ends_the_program) {
  EXPECT_EXIT(
      {
        const StopSignal stop;
        raise(SIGINT);
        raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
}

TEST(StopSignal, others_ask_again_and_again_and_never_end_the_program) {
  const StopSignal stop({SIGHUP, SIGXCPU});
  raise(SIGHUP);
  raise(SIGXCPU);
  raise(SIGHUP);
  EXPECT_TRUE(StopSignal::asked());
}

TEST(StopSignal, what_the_program_was_started_to_ignore_stays_ignored) {
  void (*const before)(int) = std::signal(SIGHUP, SIG_IGN);  // nohup
  {
    const StopSignal stop({SIGHUP});
    raise(SIGHUP);
    EXPECT_FALSE(StopSignal::asked());
  }
  EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
}

// oneDNN's kernel keeps its stack pointer in its workspace while it multiplies.
TEST(StopSignal, a_signal_to_a_thread_that_multiplies_does_no_harm) {
  const Tensor a = Tensor::full({64, 3000}, 0.5), b = Tensor::full({3000, 256}, 0.25);
  const pthread_t here = pthread_self();
  for (int i = 0; i < 20; ++i) {
    const StopSignal stop;
    std::thread sender([here, i] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
      pthread_kill(here, SIGTERM);
    });
    while (!StopSignal::asked()) {
      const Tensor c = matmul(a, b);
      ASSERT_EQ(c.span<float>()[0], 375);
    }
    sender.join();
  }
}

// oneDNN's kernels write below the stack's end; where they keep no order, products do without them.
TEST(StopSignal, every_thread_that_multiplies_by_onednn_takes_signals_on_a_stack_of_their_own) {
  if (!onednn_keeps_order()) GTEST_SKIP() << "products do without oneDNN on this CPU";
  const Tensor a = Tensor::full({64, 300}, 0.5), b = Tensor::full({300, 64}, 0.25);
  std::thread([&] {
    matmul(a, b);
    stack_t stack{};
    sigaltstack(nullptr, &stack);
    EXPECT_FALSE(stack.ss_flags & SS_DISABLE);
    EXPECT_GE(stack.ss_size, size_t{1} << 13);
  }).join();
}

TEST(StopSignal, a_signal_to_another_thread_that_multiplies_does_no_harm) {
  const Tensor a = Tensor::full({64, 3000}, 0.5), b = Tensor::full({3000, 256}, 0.25);
  for (int i = 0; i < 20; ++i) {
    const StopSignal stop;
    std::thread multiplier([&] {
      while (!StopSignal::asked()) {
        const Tensor c = matmul(a, b);
        ASSERT_EQ(c.span<float>()[0], 375);
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
    pthread_kill(multiplier.native_handle(), SIGTERM);
    multiplier.join();
  }
}

}  // namespace
}  // namespace attune
