// Compressions: ways in which files are compressed, each in a file of its own that registers it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/bytes/byte_source.h"

namespace attune {

struct Compression {
  std::string name;        // "gzip"
  std::string extension;   // ".gz"
  std::string_view magic;  // how such files begin
  std::unique_ptr<ByteSource> (*open)(std::unique_ptr<ByteSource> from, const std::string& path);
};

struct RegisterCompression {
  explicit RegisterCompression(Compression compression);
};

const std::vector<Compression>& compressions();

// Null if it is none that we know.
const Compression* find_compression(std::string_view head);

// A path without ".gz" and the like.
std::string_view without_compression(std::string_view path);

// The bytes that a library makes of compressed ones.
class Decoder : public ByteSource {
 public:
  Decoder(std::unique_ptr<ByteSource> from, std::string path);
  size_t read(std::span<char> to) final;

 protected:
  struct Step {
    size_t taken, given;  // bytes of input, of output
    bool ended;           // no part is open: the file may end here
  };
  // `last`: nothing comes after this input.
  virtual Step step(std::span<const char> input, std::span<char> to, bool last) = 0;
  // Whether the file goes on after the end of a part. What follows otherwise is ignored.
  virtual bool goes_on(std::span<const char> input) const = 0;

  [[noreturn]] void damaged(std::string_view why) const;
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::unique_ptr<ByteSource> from_;
  std::string path_;
  std::vector<char> buffer_;
  std::span<const char> input_;
  bool last_ = false, between_ = false, done_ = false;
};

}  // namespace attune
