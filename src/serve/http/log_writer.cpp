#include "serve/http/log_writer.h"

#include <fmt/core.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace attune::serve {
namespace {

constexpr size_t kMostWaiting = size_t{1} << 20;  // bytes
constexpr std::chrono::seconds kFarewell{1};
constexpr int kLook = 100;  // ms between checks whether to end

}  // namespace

LogWriter::LogWriter(int descriptor, std::function<void()> dropped)
    : descriptor_(descriptor),
      dropped_(std::move(dropped)),
      writer_(
          1, "to write its log", [this] { work(); },
          [this] {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            changed_.notify_all();
          }) {}

void LogWriter::write(std::string_view line) {
  {
    const std::lock_guard lock(mutex_);
    const std::string gap =
        lost_ > 0 ? fmt::format("# {} lines were dropped here: the log was not read in time\n", lost_) : "";
    if (waiting_.size() + gap.size() + line.size() <= kMostWaiting) {
      waiting_ += gap;
      waiting_ += line;
      lost_ = 0;
      changed_.notify_all();
      return;
    }
    ++lost_;
  }
  if (dropped_) dropped_();
}

void LogWriter::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::string lines = std::exchange(waiting_, {});
    lock.unlock();
    const bool goes_on = put(lines);
    lock.lock();
    if (!goes_on) return;
  }
}

// When poll() says that a pipe is writable, up to PIPE_BUF bytes can be written without waiting. False if it
// is time to end.
bool LogWriter::put(std::string_view bytes) {
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
  while (!bytes.empty()) {
    pollfd room{descriptor_, POLLOUT, 0};
    const int ready = poll(&room, 1, kLook);
    if (ready <= 0) {
      const std::lock_guard lock(mutex_);
      const auto now = std::chrono::steady_clock::now();
      if (stopped_) end = std::min(end, now + kFarewell);
      if (now >= end) return false;
      continue;
    }
    const ssize_t put = ::write(descriptor_, bytes.data(), std::min<size_t>(bytes.size(), PIPE_BUF));
    if (put >= 0)
      bytes.remove_prefix(static_cast<size_t>(put));
    else if (errno != EINTR && errno != EAGAIN)
      return true;  // a log that cannot be written must not stop the server
  }
  return true;
}

}  // namespace attune::serve
