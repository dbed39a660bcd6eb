// LogWriter: lines for a file, pipe or terminal, written by a separate thread. Callers never wait: if the
// reader at the other end is too slow, lines are dropped and counted, and the log says how many as soon as it
// continues.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/threads/team.h"

namespace attune::serve {

class LogWriter {
 public:
  // The descriptor must stay open as long as this lives. `dropped`, if given, is called for each lost line.
  explicit LogWriter(int descriptor, std::function<void()> dropped = {});
  // Writes what waits, for a second at most.
  ~LogWriter() = default;
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void write(std::string_view line);  // which ends in \n

 private:
  void work();
  bool put(std::string_view bytes);

  int descriptor_;
  std::function<void()> dropped_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  uint64_t lost_ = 0;  // lines since the last one that was taken
  bool stopped_ = false;
  Team writer_;
};

}  // namespace attune::serve
