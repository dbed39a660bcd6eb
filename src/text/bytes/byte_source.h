// ByteSource: bytes one after the other, in constant memory, wherever they come from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace attune {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // How many bytes came; 0 at the end. What is damaged or cut off is a UsageError.
  virtual size_t read(std::span<char> to) = 0;
};

// Of a file or pipe. It does not close the descriptor.
class DescriptorBytes : public ByteSource {
 public:
  DescriptorBytes(int file, std::string path) : file_(file), path_(std::move(path)) {}
  size_t read(std::span<char> to) override;

 private:
  int file_;
  std::string path_;
};

// Lets the first bytes be looked at before they are read.
class PeekedBytes : public ByteSource {
 public:
  explicit PeekedBytes(std::unique_ptr<ByteSource> from) : from_(std::move(from)) {}

  std::string_view peek(size_t count);  // fewer where fewer are left
  void skip(size_t count);              // of those that were looked at
  size_t read(std::span<char> to) override;

 private:
  std::unique_ptr<ByteSource> from_;
  std::string head_;
};

}  // namespace attune
