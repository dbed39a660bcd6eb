// TextBytes: the text of a file or pipe, whatever it is packed in: decompressed, UTF-16 made UTF-8, without
// its byte order mark.
#pragma once

#include <string>

#include "text/bytes/byte_source.h"

namespace attune {

class TextBytes : public ByteSource {
 public:
  // Does not close the descriptor.
  TextBytes(int file, const std::string& path);

  size_t read(std::span<char> to) override { return text_->read(to); }
  std::string_view peek(size_t count) { return text_->peek(count); }

  bool packed() const { return packed_; }  // the bytes of the file are others: compressed, or UTF-16
  bool marked() const { return marked_; }  // there was a byte order mark, so it is Unicode for certain

 private:
  std::unique_ptr<PeekedBytes> text_;
  bool packed_ = false, marked_ = false;
};

}  // namespace attune
