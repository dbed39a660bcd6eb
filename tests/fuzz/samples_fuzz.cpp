// Any bytes are a picture, a recording or a table whose numbers fill its rows, or a UsageError.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "attune/error.h"
#include "text/vocabulary/vocabulary.h"
#include "vectors/number_table.h"
#include "vectors/picture.h"
#include "vectors/sound.h"

using namespace attune;

namespace {

template <class Read>
void read(const Read& rows_of) {
  try {
    const Vectors rows = rows_of();
    if (rows.numbers.size() != static_cast<size_t>(rows.rows * rows.width)) std::abort();
    for (const float x : rows.numbers)
      if (!std::isfinite(x)) std::abort();
  } catch (const UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (is_picture(bytes)) {
    // A small file may hold a large picture, which takes its time.
    try {
      const PictureSize shape = picture_size(bytes, "fuzz");
      if (shape.height * shape.width > 1 << 20) return 0;
    } catch (const UsageError&) {
    }
    for (const int64_t channels : {1, 3})
      read([&] { return patches(read_picture(bytes, channels, "fuzz"), 2, "fuzz"); });
  } else if (is_wav(bytes)) {
    read([&] { return log_mel(read_wav(bytes, "fuzz"), {.bands = 8}, "fuzz"); });
  } else {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const bool times : {false, true}) read([&] { return read_number_table(text, "fuzz", times); });
    if (!text.starts_with("# attune")) return 0;
    try {
      parse_vocabulary(text, "fuzz");  // of vectors, or of several sources
    } catch (const UsageError&) {
    }
  }
  return 0;
}
