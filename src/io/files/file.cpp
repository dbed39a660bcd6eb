#include "io/files/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/check.h"
#include "io/files/temporary.h"

namespace attune {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;
constexpr size_t kPiece = size_t{1} << 18;  // fits the cache of a core
constexpr int kMostLinks = 40;              // as the kernel follows

// The file that symbolic links lead to; it need not exist.
std::filesystem::path behind_links(std::filesystem::path path) {
  std::error_code none;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, none); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path);
  return path;
}

struct Regular {
  Descriptor file;
  size_t size;
};

Regular open_regular(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe must not block
  struct stat about {};
  if (!file || fstat(file.number(), &about) != 0)
    throw UsageError(
        fmt::format("{}: cannot open it: {}", path.string(), std::generic_category().message(errno)));
  if (!S_ISREG(about.st_mode)) throw UsageError(path.string() + ": this is not a regular file");
  posix_fadvise(file.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return {std::move(file), static_cast<size_t>(about.st_size)};
}

// What one read() puts into `into`: at least a byte.
std::span<const std::byte> read_piece(const Descriptor& file, const std::filesystem::path& path,
                                      std::span<std::byte> into) {
  while (true) {
    const ssize_t got = ::read(file.number(), into.data(), into.size());
    if (got > 0) return into.first(static_cast<size_t>(got));
    if (got == 0)
      throw UsageError(path.string() +
                       ": it became shorter while it was read; is another program writing it?");
    if (errno != EINTR) fail_at(path, "read", errno);
  }
}

}  // namespace

std::shared_ptr<const FileBytes> FileBytes::map(const std::filesystem::path& path) {
  const auto [file, size] = open_regular(path);
  if (size == 0) return std::shared_ptr<const FileBytes>(new FileBytes(path, {}, true));
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number(), 0);
  if (memory == MAP_FAILED) fail_at(path, "map", errno);
  return std::shared_ptr<const FileBytes>(new FileBytes(path, {static_cast<std::byte*>(memory), size}, true));
}

std::shared_ptr<const FileBytes> FileBytes::read(const std::filesystem::path& path, const See& see) {
  const auto [file, size] = open_regular(path);
  std::span<std::byte> bytes;
  if (size > 0) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail_at(path, "hold", errno);
    madvise(memory, size, MADV_HUGEPAGE);  // fewer page faults; only a hint
    bytes = {static_cast<std::byte*>(memory), size};
  }
  const std::shared_ptr<const FileBytes> held(new FileBytes(path, bytes, false));
  for (size_t at = 0; at < size;) {
    const auto piece = read_piece(file, path, bytes.subspan(at, std::min(kPiece, size - at)));
    if (see) see(piece);
    at += piece.size();
  }
  return held;
}

FileBytes::~FileBytes() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void see_file(const std::filesystem::path& path, const FileBytes::See& see) {
  const auto [file, size] = open_regular(path);
  std::vector<std::byte> buffer(std::min(kPiece, size));
  for (size_t at = 0; at < size;) {
    const auto piece = read_piece(file, path, std::span(buffer).first(std::min(kPiece, size - at)));
    see(piece);
    at += piece.size();
  }
}

std::string read_file(const std::filesystem::path& path, size_t most) {
  // Opening a pipe without a writer must not block; such a pipe reads as empty.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file || fstat(file.number(), &about) != 0)
    throw UsageError(
        fmt::format("{}: cannot open it: {}", path.string(), std::generic_category().message(errno)));
  if (S_ISDIR(about.st_mode)) throw UsageError(path.string() + ": this is a folder, not a file");
  const bool pipe = S_ISFIFO(about.st_mode);
  if (!pipe && !S_ISREG(about.st_mode))
    throw UsageError(path.string() + ": this is a device, not a file; give a file");
  std::string content;
  while (true) {
    const size_t before = content.size();
    content.resize(std::max(before + kBuffer, 2 * before));
    const ssize_t got = read(file.number(), content.data() + before, content.size() - before);
    const int code = got < 0 ? errno : 0;
    content.resize(before + (got > 0 ? static_cast<size_t>(got) : 0));
    if (code == EAGAIN) {
      pollfd ready{file.number(), POLLIN, 0};
      poll(&ready, 1, -1);
    } else if (code != 0 && code != EINTR) {
      fail_at(path, "read", code);
    }
    if (content.size() > most)
      throw UsageError(
          fmt::format("{}: it is larger than {} MB, which cannot be right", path.string(), most >> 20));
    if (got == 0 && pipe && content.empty())
      throw UsageError(path.string() + ": this is a pipe, and nobody has written to it; give a file");
    if (got == 0) return content;
  }
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(behind_links(std::move(path))) {
  Temporary made = make_temporary_file(path_);
  temporary_ = std::move(made.path);
  file_ = std::move(made.file);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer)
    write_all(file_, bytes, path_);
  else
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::flush() {
  write_all(file_, buffer_, path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  sync(file_, path_);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_at(path_, "replace", errno);
  temporary_.clear();
  sync_directory(directory_of(path_));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void write_output_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status))
    return write_file_atomically(path, content);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) fail_at(path, "open", errno);
  write_all(file, std::as_bytes(std::span(content)), path);
}

}  // namespace attune
