// Descriptor: an open file of the system, closed at the end of its life; and what every writer needs.
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

// Throws an Error "PATH: cannot VERB it: REASON", with what to do where that is known. `code` is an errno.
[[noreturn]] void fail_at(const std::filesystem::path& path, std::string_view verb, int code);

// For reading: a UsageError if it cannot be opened.
Descriptor open_to_read(const std::filesystem::path& path);

void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::filesystem::path& path);

// What was written to a file, or which names a directory holds, is on disk.
void sync(const Descriptor& file, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

// The directory that holds `path`.
std::filesystem::path directory_of(const std::filesystem::path& path);

}  // namespace attune
