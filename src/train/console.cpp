#include "train/console.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "attune/error.h"

namespace attune {
namespace {

size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Console::Console(const std::filesystem::path& log, bool quiet)
    : file_(log.empty() ? nullptr : std::fopen(log.c_str(), "a"), &std::fclose),
      quiet_(quiet),
      terminal_(!quiet && isatty(STDERR_FILENO) != 0) {
  if (!file_ && !log.empty())
    throw Error(fmt::format("{} cannot be written: {}", log.string(), std::strerror(errno)));
}

Console::~Console() { clear_live(); }

void Console::clear_live() {
  if (live_) fmt::print(stderr, "\r\033[K");
  live_ = false;
}

void Console::line(const std::string& text) {
  if (quiet_ && !file_) return;
  clear_live();
  const std::string stamp = fmt::format("[{:%Y-%m-%d %H:%M:%S}]", fmt::localtime(std::time(nullptr)));
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto part = std::string_view(text).substr(begin, end - begin);
    if (!quiet_) fmt::print(stderr, "{} {}\n", stamp, part);
    if (file_) fmt::print(file_.get(), "{} {}\n", stamp, part);
    begin = end + 1;
  }
  if (file_) std::fflush(file_.get());
}

void Console::live(const std::string& text) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K{}", text.substr(0, terminal_columns() - 1));
  std::fflush(stderr);
  live_ = true;
}

}  // namespace attune
