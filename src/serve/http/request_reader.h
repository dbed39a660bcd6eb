// RequestReader: HTTP/1.1 requests (RFC 9112) out of the bytes of a connection. It is strict where
// leniency would let two programs read the same bytes as different requests, and takes no more memory than
// its limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/http/http_message.h"

namespace attune::serve {

struct HttpLimits {
  size_t head = 16 << 10;  // bytes
  size_t body = 256 << 10;
};

class RequestReader {
 public:
  explicit RequestReader(const HttpLimits& limits) : limits_(limits) {}

  void add(std::string_view bytes) { buffer_ += bytes; }

  // The next request, if it is complete. An HttpRefusal if the bytes are not a request or too many: what
  // follows cannot be read either.
  std::optional<HttpRequest> next();

  // Whether nothing of a request has arrived yet; empty lines before it do not count.
  bool empty() const { return !request_ && at_ == buffer_.size(); }

  // Whether the client waits for a word before it sends the body ("Expect: 100-continue"); true only once.
  bool wants_continue() { return std::exchange(wants_continue_, false); }

 private:
  bool read_head();
  bool read_body();
  bool read_data();
  bool read_chunks();
  bool read_trailer(std::string_view line);
  void set_framing();
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }

  HttpLimits limits_;
  std::string buffer_;
  size_t at_ = 0;                       // what is before it has been read
  std::optional<HttpRequest> request_;  // whose body is still to come
  bool wants_continue_ = false;
  bool chunked_ = false, in_trailers_ = false;
  bool behind_chunk_ = false;  // the end of its line is still to come
  size_t length_ = 0;          // of what is to come of the body or chunk
  size_t trailers_ = 0;
};

}  // namespace attune::serve
