// Transport: the bytes of a connection, plain or through TLS, without ever waiting for them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace attune::serve {

// The result of an attempt: some bytes, or why there were none.
struct Transfer {
  enum class State { moved, wait_to_read, wait_to_write, ended };
  State state = State::ended;
  size_t bytes = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Transfer read(std::span<char> to) = 0;
  virtual Transfer write(std::string_view bytes) = 0;
  virtual void end_writing() = 0;  // the other side sees the end of what was written
};

// For a socket that outlives the transport and does not block.
std::unique_ptr<Transport> plain_transport(int socket);

// Makes transports that encrypt.
class Tls {
 public:
  // PEM files. A UsageError if they cannot be read or do not belong together.
  Tls(const std::string& certificate, const std::string& key);
  ~Tls();
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  std::unique_ptr<Transport> transport(int socket) const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace attune::serve
