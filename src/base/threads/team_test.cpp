#include "base/threads/team.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>

#include "attune/error.h"

namespace attune {
namespace {

TEST(Team, all_threads_work_until_they_are_stopped) {
  std::latch all(4);
  std::atomic<bool> stopped = false;
  std::atomic<int> ended = 0;
  {
    const Team team(
        4, "to test",
        [&] {
          all.count_down();
          stopped.wait(false);
          ++ended;
        },
        [&] {
          stopped = true;
          stopped.notify_all();
        });
    all.wait();
  }
  EXPECT_EQ(ended, 4);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they take more memory than the limit
// In a separate process, whose memory has room for a few threads' stacks.
TEST(Team, threads_that_the_system_does_not_give_are_an_error_and_no_hang) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    constexpr rlim_t kStack = rlim_t{1} << 40;  // no machine has room for two of these
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    pthread_setattr_default_np(&attributes);
    const rlimit limit{3 * kStack, 3 * kStack};
    setrlimit(RLIMIT_AS, &limit);
    std::atomic<bool> stopped = false;
    try {
      const Team team(
          8, "to test", [&] { stopped.wait(false); },
          [&] {
            stopped = true;
            stopped.notify_all();
          });
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("of 8 threads to test") != std::string::npos && stopped ? 7 : 1);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}
#endif

}  // namespace
}  // namespace attune
