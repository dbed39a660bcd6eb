#include <zstd.h>
#include <zstd_errors.h>

#include "base/check.h"
#include "text/bytes/compression.h"

namespace attune {
namespace {

class Zstd : public Decoder {
 public:
  Zstd(std::unique_ptr<ByteSource> from, const std::string& path)
      : Decoder(std::move(from), path), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    check(stream_ != nullptr, "{}: out of memory", path);
  }

 private:
  // The library's window is 128 MB at most.
  Step step(std::span<const char> input, std::span<char> to, bool /*last*/) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const size_t left = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(left) != 0) {
      if (ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge)
        refuse(
            "it was compressed with `zstd --long` or --ultra and a window above 128 MB; decompress it first");
      damaged(ZSTD_getErrorName(left));
    }
    return {in.pos, out.pos, left == 0};
  }

  bool goes_on(std::span<const char> /*input*/) const override { return true; }

  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_;
};

const RegisterCompression registered{
    {"zstd", ".zst", "\x28\xB5\x2F\xFD", [](std::unique_ptr<ByteSource> from, const std::string& path) {
       return std::unique_ptr<ByteSource>(std::make_unique<Zstd>(std::move(from), path));
     }}};

}  // namespace
}  // namespace attune
