#include <zlib.h>

#include "base/check.h"
#include "text/bytes/compression.h"

namespace attune {
namespace {

constexpr int kGzipOnly = 15 + 16;  // zlib's way to say so

class Gzip : public Decoder {
 public:
  Gzip(std::unique_ptr<ByteSource> from, const std::string& path) : Decoder(std::move(from), path) {
    check(inflateInit2(&stream_, kGzipOnly) == Z_OK, "{}: out of memory", path);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override { inflateEnd(&stream_); }

 private:
  Step step(std::span<const char> input, std::span<char> to, bool /*last*/) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(to.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      damaged(stream_.msg != nullptr ? stream_.msg : zError(code));
    if (code == Z_STREAM_END) inflateReset(&stream_);
    return {input.size() - stream_.avail_in, to.size() - stream_.avail_out, code == Z_STREAM_END};
  }

  // Files that were joined are one file; padding is ignored, as by gunzip.
  bool goes_on(std::span<const char> input) const override { return input[0] == '\x1F'; }

  z_stream stream_{};
};

const RegisterCompression registered{
    {"gzip", ".gz", "\x1F\x8B", [](std::unique_ptr<ByteSource> from, const std::string& path) {
       return std::unique_ptr<ByteSource>(std::make_unique<Gzip>(std::move(from), path));
     }}};

}  // namespace
}  // namespace attune
