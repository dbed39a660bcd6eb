// Descriptor: owns an open file descriptor and closes it; and helpers that every writer needs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace attune {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Throws an Error "PATH: cannot VERB it: REASON", with advice if there is any. `code` is an errno.
[[noreturn]] void fail_at(const std::filesystem::path& path, std::string_view verb, int code);

// For reading: a UsageError if it cannot be opened.
Descriptor open_to_read(const std::filesystem::path& path);

void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::filesystem::path& path);

// Makes sure that the contents of a file, or the names in a directory, are on disk.
void sync(const Descriptor& file, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

// The directory that holds `path`.
std::filesystem::path directory_of(const std::filesystem::path& path);

}  // namespace attune
