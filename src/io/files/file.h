// Files: read whole, held in memory, mapped, or written so that a reader sees either the old content or the
// new content and never a part, whatever happens in between (docs/decisions/0006-files.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace attune {

// The bytes of a file, aligned to a page of memory.
class FileBytes {
 public:
  // Pages are loaded when they are used and shared with other processes that map the file. A page that is
  // written to becomes private, and the change never reaches the file. Meanwhile AtomicFile may replace the
  // file (the mapping keeps the old one), but it must not be truncated or overwritten in place.
  static std::shared_ptr<const FileBytes> map(const std::filesystem::path& path);

  // Copies all bytes into memory, so they stay whatever happens to the file. `see` gets them piece by piece,
  // in order, while they are still in the cache. A UsageError if the file becomes shorter meanwhile.
  using See = std::function<void(std::span<const std::byte>)>;
  static std::shared_ptr<const FileBytes> read(const std::filesystem::path& path, const See& see = {});

  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  std::span<std::byte> bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }
  bool mapped() const { return mapped_; }

 private:
  FileBytes(std::filesystem::path path, std::span<std::byte> bytes, bool mapped)
      : path_(std::move(path)), bytes_(bytes), mapped_(mapped) {}

  std::filesystem::path path_;
  std::span<std::byte> bytes_;
  bool mapped_;
};

// Passes the bytes of a file to `see`, piece by piece, and keeps none.
void see_file(const std::filesystem::path& path, const FileBytes::See& see);

// Everything in a file, or in a pipe that has a writer; a UsageError if that is more than `most` bytes, or if
// it is not a file at all.
std::string read_file(const std::filesystem::path& path, size_t most = size_t{1} << 30);

// Writes a file next to `path`, which takes its name in commit(). Without commit(), and after any Error,
// `path` is unchanged and nothing is left behind. A symbolic link stays; the file that it points to is
// replaced.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();  // on disk when it returns

 private:
  void flush();

  std::filesystem::path path_, temporary_;  // the temporary's name is empty once it is gone
  Descriptor file_;
  std::vector<std::byte> buffer_;  // collects small writes
};

void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// For an output that the user names: like write_file_atomically, but a device or a FIFO is written to.
void write_output_file(const std::filesystem::path& path, std::string_view content);

}  // namespace attune
