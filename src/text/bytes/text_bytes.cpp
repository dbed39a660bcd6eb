#include "text/bytes/text_bytes.h"

#include "attune/error.h"
#include "text/bytes/compression.h"
#include "text/bytes/utf16.h"

namespace attune {

TextBytes::TextBytes(int file, const std::string& path)
    : text_(std::make_unique<PeekedBytes>(std::make_unique<DescriptorBytes>(file, path))) {
  if (const Compression* compression = find_compression(text_->peek(6))) {
    text_ = std::make_unique<PeekedBytes>(compression->open(std::move(text_), path));
    packed_ = true;
  }
  const std::string_view head = text_->peek(4);
  const bool little = head.starts_with("\xFF\xFE"), big = head.starts_with("\xFE\xFF");
  if (head == std::string_view("\xFF\xFE\0\0", 4))
    throw UsageError(path + ": it is UTF-32; `iconv -f UTF-32 -t UTF-8` converts it");
  if (little || big) {
    text_->skip(2);
    text_ = std::make_unique<PeekedBytes>(
        std::make_unique<Utf16Bytes>(std::move(text_), big ? ByteOrder::big : ByteOrder::little));
    packed_ = true;
  }
  marked_ = little || big || head.starts_with("\xEF\xBB\xBF");
  if (marked_ && !little && !big) text_->skip(3);
}

}  // namespace attune
