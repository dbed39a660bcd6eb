#include "text/bytes/utf16.h"

#include <algorithm>

#include "base/ascii.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr size_t kBuffer = 1 << 16;

// The two halves of a character above U+FFFF (the Unicode standard, D91).
bool is_lead(uint32_t unit) { return unit >> 10 == 0xD800 >> 10; }
bool is_trail(uint32_t unit) { return unit >> 10 == 0xDC00 >> 10; }
uint32_t joined(uint32_t lead, uint32_t trail) { return 0x10000 + ((lead & 0x3FF) << 10 | (trail & 0x3FF)); }

}  // namespace

Utf16Bytes::Utf16Bytes(std::unique_ptr<ByteSource> from, ByteOrder order)
    : from_(std::move(from)), order_(order), input_(kBuffer) {}

bool Utf16Bytes::convert_more() {
  const size_t got = from_->read(std::span(input_).subspan(kept_));
  if (got == 0 && kept_ == 0) return false;
  const size_t size = kept_ + got;
  const auto unit = [this](size_t at) -> uint32_t {
    const uint32_t first = byte_of(input_[at]), second = byte_of(input_[at + 1]);
    return order_ == ByteOrder::big ? first << 8 | second : second << 8 | first;
  };
  output_.clear();
  given_ = 0;
  size_t at = 0;
  while (at + 2 <= size) {
    uint32_t c = unit(at);
    const bool pair = is_lead(c);
    if (pair && at + 4 > size && got > 0) break;  // the other half may follow
    at += 2;
    if (pair && at + 2 <= size && is_trail(unit(at))) {
      c = joined(c, unit(at));
      at += 2;
    }
    append_utf8(output_, c);  // also of a lone half, which is refused later
  }
  if (got == 0 && at < size) output_ += '\xFF', at = size;  // an odd byte at the end
  std::copy(input_.begin() + static_cast<int64_t>(at), input_.begin() + static_cast<int64_t>(size),
            input_.begin());
  kept_ = size - at;
  return true;
}

size_t Utf16Bytes::read(std::span<char> to) {
  while (given_ == output_.size())
    if (!convert_more()) return 0;
  const size_t count = std::min(to.size(), output_.size() - given_);
  std::copy_n(output_.begin() + static_cast<int64_t>(given_), count, to.begin());
  given_ += count;
  return count;
}

}  // namespace attune
