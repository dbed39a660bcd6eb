#include "text/corpus/line_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "attune/error.h"
#include "base/check.h"
#include "text/bytes/temporary_file.h"
#include "text/bytes/text_bytes.h"

namespace attune {
namespace {

constexpr size_t kBuffer = 1 << 18;
constexpr uint64_t kLongestLine = 64 << 20, kLongParagraph = 1 << 20;
constexpr size_t kBlankLine = 64;  // longer ones are not blank

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t\v\f\r\n") == std::string::npos;
}

template <class... Args>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<Args...> text, Args&&... args) {
  throw UsageError(path + ": " + fmt::format(text, std::forward<Args>(args)...));
}

Descriptor copy_of(ByteSource& text) {
  TemporaryFile copy;
  std::vector<char> buffer(kBuffer);
  while (const size_t got = text.read(buffer)) copy.write({buffer.data(), got});
  return copy.finish();
}

}  // namespace

LineFile::LineFile(const std::string& path, FileUnit unit)
    : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), unit_(unit) {
  if (file_.number() < 0) {
    if (errno == ENOENT) refuse(path, "there is no such file");
    refuse(path, "cannot be opened: {}", std::strerror(errno));
  }
  struct stat status = {};
  if (fstat(file_.number(), &status) != 0) refuse(path, "cannot be read: {}", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse(path, "this is a folder; a text file was expected");
  TextBytes text(file_.number(), path);
  copied_ = !S_ISREG(status.st_mode) || text.packed();
  if (copied_) file_ = copy_of(text);
  index();
}

LineFile::LineFile(std::string path, Descriptor copy, FileUnit unit)
    : path_(std::move(path)), file_(std::move(copy)), unit_(unit), copied_(true) {
  index();
}

void LineFile::index() {
  std::vector<char> buffer(kBuffer);
  uint64_t place = 0;
  starts_.push_back(0);
  for (;;) {
    const ssize_t got = pread(file_.number(), buffer.data(), buffer.size(), static_cast<off_t>(place));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path_, "cannot be read: {}", std::strerror(errno));
    if (got == 0) break;
    if (place == 0 && got >= 3 && std::memcmp(buffer.data(), "\xEF\xBB\xBF", 3) == 0) starts_[0] = 3;
    const char* end = buffer.data() + got;
    for (const char* at = buffer.data(); at < end; ++at) {
      at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
      if (at == nullptr) break;
      starts_.push_back(place + static_cast<uint64_t>(at - buffer.data()) + 1);
    }
    place += static_cast<uint64_t>(got);
    if (place - starts_.back() > kLongestLine)
      refuse(path_, "line {} has more than {} MB; is this a text file with one sentence per line?",
             starts_.size(), kLongestLine >> 20);
  }
  last_ends_ = place == starts_.back();
  if (!last_ends_) starts_.push_back(place);
  if (unit_ == FileUnit::paragraph) index_paragraphs();
  starts_.shrink_to_fit();
}

// Keeps of the starts of lines those with which a paragraph begins.
void LineFile::index_paragraphs() {
  std::vector<uint64_t> begins;
  std::string text;
  bool inside = false;
  for (size_t i = 0; i + 1 < starts_.size(); ++i) {
    const auto size = static_cast<size_t>(starts_[i + 1] - starts_[i]);
    text.resize(size <= kBlankLine ? size : 0);
    read(starts_[i], text.size(), text.data());
    const bool blank = size <= kBlankLine && is_blank_line(text);
    if (blank || (inside && starts_[i] - begins.back() >= kLongParagraph)) inside = false;
    if (!blank && !std::exchange(inside, true)) begins.push_back(starts_[i]);
  }
  begins.push_back(starts_.back());
  starts_ = std::move(begins);
}

void LineFile::read(uint64_t from, size_t count, char* to) const {
  while (count > 0) {
    const ssize_t got = pread(file_.number(), to, count, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("{}: can no longer be read: {}", path_, std::strerror(errno));
    if (got == 0) fail("{}: the file became shorter while it was in use", path_);
    to += got;
    from += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
}

std::string LineFile::line(int64_t number) const {
  check(number >= 0 && number < lines(), "{}: line {} does not exist; the file has {}", path_, number + 1,
        lines());
  const auto i = static_cast<size_t>(number);
  if (unit_ == FileUnit::paragraph) return paragraph(i);
  const bool ends = number + 1 < lines() || last_ends_;
  std::string text(static_cast<size_t>(starts_[i + 1] - starts_[i]) - (ends ? 1 : 0), '\0');
  read(starts_[i], text.size(), text.data());
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::string LineFile::paragraph(size_t number) const {
  std::string text(static_cast<size_t>(starts_[number + 1] - starts_[number]), '\0');
  read(starts_[number], text.size(), text.data());
  size_t kept = 0;  // CR LF becomes LF
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') text[kept++] = text[i];
  text.resize(kept);
  for (size_t end = text.rfind('\n');
       end != std::string::npos && is_blank_line(std::string_view(text).substr(end)); end = text.rfind('\n'))
    text.resize(end);
  return text;
}

int64_t LineFile::first_line(int64_t number) const {
  if (unit_ == FileUnit::line) return number;
  std::string before(static_cast<size_t>(starts_[static_cast<size_t>(number)]), '\0');
  read(0, before.size(), before.data());
  return std::ranges::count(before, '\n');
}

}  // namespace attune
