#include <lzma.h>

#include "base/check.h"
#include "text/bytes/compression.h"

namespace attune {
namespace {

constexpr uint64_t kMostMemory = 256 << 20;  // `xz -9` needs 65 MB

class Xz : public Decoder {
 public:
  Xz(std::unique_ptr<ByteSource> from, const std::string& path) : Decoder(std::move(from), path) {
    check(lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) == LZMA_OK, "{}: out of memory",
          path);
  }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;
  ~Xz() override { lzma_end(&stream_); }

 private:
  Step step(std::span<const char> input, std::span<char> to, bool last) override {
    stream_.next_in = reinterpret_cast<const uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(to.data());
    stream_.avail_out = to.size();
    const lzma_ret code = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_MEMLIMIT_ERROR)
      refuse("it takes more than 256 MB of memory to decompress; compress it with `xz -9` or less");
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR) damaged(reason(code));
    return {input.size() - stream_.avail_in, to.size() - stream_.avail_out, code == LZMA_STREAM_END};
  }

  static std::string_view reason(lzma_ret code) {
    switch (code) {
      case LZMA_FORMAT_ERROR: return "something else follows it";
      case LZMA_OPTIONS_ERROR: return "its options are not supported";
      case LZMA_DATA_ERROR: return "its checksums do not fit";
      default: return "it makes no sense";
    }
  }

  // The library itself goes on to files that were joined.
  bool goes_on(std::span<const char> /*input*/) const override { return false; }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

const RegisterCompression registered{{"xz",
                                      ".xz",
                                      {"\xFD"
                                       "7zXZ\0",
                                       6},
                                      [](std::unique_ptr<ByteSource> from, const std::string& path) {
                                        return std::unique_ptr<ByteSource>(
                                            std::make_unique<Xz>(std::move(from), path));
                                      }}};

}  // namespace
}  // namespace attune
