// Utf16Bytes: text in UTF-16 as UTF-8.
#pragma once

#include <memory>
#include <vector>

#include "text/bytes/byte_source.h"

namespace attune {

enum class ByteOrder : uint8_t { little, big };

// Half of a character that has lost its other half becomes bytes that are not UTF-8 either, so it is reported
// where other bad bytes are.
class Utf16Bytes : public ByteSource {
 public:
  // `from` without its byte order mark.
  Utf16Bytes(std::unique_ptr<ByteSource> from, ByteOrder order);
  size_t read(std::span<char> to) override;

 private:
  bool convert_more();  // false at the end

  std::unique_ptr<ByteSource> from_;
  ByteOrder order_;
  std::vector<char> input_;
  size_t kept_ = 0;  // bytes at the front of the input that wait for the rest of their character
  std::string output_;
  size_t given_ = 0;
};

}  // namespace attune
