// Connection: one client, from its first byte to its last. It belongs to the thread that waits for sockets.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/descriptor.h"
#include "serve/http/request_reader.h"
#include "serve/http/transport.h"

namespace attune::serve {

using Clock = std::chrono::steady_clock;

struct ConnectionTimes {
  std::chrono::milliseconds request{10'000};  // for all bytes of a request to arrive
  std::chrono::milliseconds idle{75'000};     // between requests
  std::chrono::milliseconds write{30'000};    // for a client to take any part of its answer
  std::chrono::milliseconds linger{1'000};  // for a client to see an answer that came before it had sent all
  std::chrono::milliseconds farewell{1'000};  // without a request, after which one closes when all is to stop
};

class Connection {
 public:
  enum class State {
    reading,   // waits for a request, or for the rest of one
    handling,  // a request is being answered
    draining,  // everything was sent; what still arrives is dropped
    closed,
  };

  Connection(Descriptor socket, std::unique_ptr<Transport> transport, std::string address,
             const HttpLimits& limits, const ConnectionTimes& times);

  // Reads and writes what it can. Returns a complete request, if there is one; throws an HttpRefusal for
  // bytes that cannot be read, which has to be answered with `last`.
  std::optional<HttpRequest> advance();

  // A part of the answer. With `end` the answer is complete; with `last` nothing is read after it.
  void answer(std::string_view bytes, bool end, bool last);

  bool due(Clock::time_point now) const { return now >= deadline_; }  // late() has something to do
  // Checks the clock. True if the client took too long to send its request and has to be told so.
  bool late(Clock::time_point now);
  // The server stops. A connection that has been idle for a while closes; on others a request may be on its
  // way, which is still answered.
  void stop(Clock::time_point now);
  // The client sends nothing more, which usually means that it has left: work for it is cancelled.
  void half_closed();
  // Work for the client is cancelled, and it has to be told so.
  void give_up() { life_.request_stop(); }

  State state() const { return state_; }
  bool wants_read() const;
  bool wants_write() const;
  bool wants_to_know_of_leaving() const { return state_ == State::handling && !half_closed_; }
  int socket() const { return socket_.number(); }
  const std::string& address() const { return address_; }
  void close();

 private:
  void flush();
  void drain();

  Descriptor socket_;
  std::unique_ptr<Transport> transport_;
  std::string address_;
  RequestReader reader_;
  ConnectionTimes times_;
  State state_ = State::reading;
  std::string output_;
  bool ended_ = true, last_ = false;                          // the answer whose bytes are in the output
  bool read_needs_write_ = false, write_needs_read_ = false;  // TLS may want the other direction
  bool begun_ = false;                                        // a byte of the next request has come
  bool half_closed_ = false;
  Clock::time_point deadline_, idle_since_;
  std::stop_source life_;  // of the work that is done for it
};

}  // namespace attune::serve
