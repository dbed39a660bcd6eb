#include "cli/rows/arriving_lines.h"

#include <sys/stat.h>
#include <unistd.h>

namespace attune::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_file(int descriptor) {
  struct stat status = {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

ArrivingLines::ArrivingLines(const std::string& file, int wake) {
  if (file != "-") opened_ = open_to_read(file);
  const int descriptor = file == "-" ? STDIN_FILENO : opened_.number();
  if (is_file(descriptor))
    file_ = std::make_unique<LineStream>(descriptor, file == "-" ? "stdin" : file);
  else
    pipe_.emplace(descriptor, wake);
}

std::vector<std::string> ArrivingLines::next(size_t most) {
  std::vector<std::string> lines;
  if (pipe_) {
    lines = pipe_->next(most);
    if (!begun_ && !lines.empty() && lines[0].starts_with(kByteOrderMark))
      lines[0].erase(0, kByteOrderMark.size());
    begun_ = begun_ || !lines.empty();
    return lines;
  }
  while (lines.size() < most && !file_->ended()) lines.push_back(file_->next());
  return lines;
}

}  // namespace attune::cli
