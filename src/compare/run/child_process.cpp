#include "compare/run/child_process.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "attune/error.h"
#include "base/descriptor.h"
#include "base/stop_signal.h"

namespace attune::compare {
namespace {

constexpr int kDone = 0, kFailed = 1, kWrongUse = 2, kInterrupted = 130;
constexpr size_t kLongestMessage = 16'000;  // fits into a pipe that nobody reads yet

// During its lifetime, signals to the parent are held until they are fetched.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&held_, signal);
    sigprocmask(SIG_BLOCK, &held_, &former_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { release(); }

  void release() const { sigprocmask(SIG_SETMASK, &former_, nullptr); }
  // Empty after a while: another thread of this process may have taken the signal.
  std::optional<siginfo_t> next() const {
    constexpr timespec kWhile{.tv_sec = 0, .tv_nsec = 100'000'000};
    siginfo_t info{};
    if (sigtimedwait(&held_, &info, &kWhile) < 0) return std::nullopt;
    return info;
  }

 private:
  sigset_t held_{}, former_{};
};

[[noreturn]] void be_child(const std::function<void()>& work, pid_t parent, const Descriptor& messages) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kFailed);
  int code = kDone;
  std::string message;
  try {
    work();
  } catch (const Interrupted&) {
    code = kInterrupted;
  } catch (const UsageError& error) {
    code = kWrongUse;
    message = error.what();
  } catch (const std::exception& error) {
    code = kFailed;
    message = error.what();
  }
  std::fflush(nullptr);
  [[maybe_unused]] const ssize_t written =
      write(messages.number(), message.data(), std::min(message.size(), kLongestMessage));
  _exit(code);
}

std::string read_rest(const Descriptor& file) {
  std::array<char, kLongestMessage> buffer;
  const ssize_t count = read(file.number(), buffer.data(), buffer.size());
  return {buffer.data(), static_cast<size_t>(std::max<ssize_t>(count, 0))};
}

// A terminal sends its signals to the child too; signals from other processes are passed on.
int wait_for(pid_t child, const HeldSignals& signals, rusage& usage) {
  for (int status = 0;;) {
    const auto info = signals.next();
    if (wait4(child, &status, WNOHANG, &usage) == child) return status;
    if (info && info->si_signo != SIGCHLD && info->si_code != SI_KERNEL) kill(child, info->si_signo);
  }
}

void judge(int status, const std::string& message) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGINT || signal == SIGTERM) throw Interrupted();
    throw Error(
        fmt::format("its process was killed by signal {} ({}){}; run the same command again to continue",
                    signal, strsignal(signal), signal == SIGKILL ? ", perhaps for lack of memory" : ""));
  }
  switch (WEXITSTATUS(status)) {
    case kDone: return;
    case kInterrupted: throw Interrupted();
    case kWrongUse: throw UsageError(message);
    default: throw Error(message);
  }
}

}  // namespace

Cost run_in_child(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  std::fflush(nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // the process that started this program may have ignored it
  const HeldSignals signals;
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    signals.release();
    be_child(work, parent, writing);
  }
  rusage usage{};
  const int status = wait_for(child, signals, usage);
  writing = Descriptor();  // so that reading ends
  judge(status, read_rest(reading));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {seconds.count(), static_cast<int64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace attune::compare
