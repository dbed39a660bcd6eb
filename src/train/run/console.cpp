#include "train/run/console.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/say.h"

namespace attune {
namespace {

size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Console::Console(bool quiet) : quiet_(quiet), terminal_(!quiet && isatty(STDERR_FILENO) != 0) {}

Console::~Console() { clear_live(); }

void Console::keep_in(const std::filesystem::path& log) {
  file_.emplace(log);
  keep(std::exchange(waiting_, {}));
}

void Console::keep(const std::string& lines) {
  if (file_)
    file_->append(std::as_bytes(std::span(lines)));
  else
    waiting_ += lines;
}

void Console::clear_live() {
  if (live_) say("\r\033[K");
  live_ = false;
}

void Console::line(const std::string& text) {
  clear_live();
  const std::string stamp = fmt::format("[{:%Y-%m-%d %H:%M:%S}]", fmt::localtime(std::time(nullptr)));
  std::string lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines += fmt::format("{} {}\n", stamp, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  if (!quiet_) say(lines);
  keep(lines);
}

void Console::live(const std::string& text) {
  if (!terminal_) return;
  say("\r\033[K" + text.substr(0, terminal_columns() - 1));
  live_ = true;
}

void Console::sync() const {
  if (file_) file_->sync();
}

}  // namespace attune
